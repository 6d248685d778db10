/**
 * True if a call or setting that is meant for every destination has to say so explicitly. This many destinations are assumed to
 * belong to several customers, and what is meant for one customer must not reach all.
 */
export const hasToName = (destinations: number): boolean => destinations > 10;
