/**
 * Tells whether a call or a setting that reaches every destination has to say so. More destinations than this are taken to be those of
 * several customers, and what is meant for one of them must not reach all.
 */
export const hasToName = (destinations: number): boolean => destinations > 10;
