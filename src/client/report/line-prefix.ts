/** What every line begins with, so that its reader knows where it comes from. */
export const LINE_PREFIX = 'eventferry: ';
