import { LossTotals } from './loss-totals.js';
import { printNow } from './print-now.js';

/** The losses of all clients of this process. */
export const processLosses = new LossTotals(printNow);
