/** Every printed line starts with this, so that its reader knows where it comes from. */
export const LINE_PREFIX = 'eventferry: ';
