import { LossTotals } from './loss-totals.js';
import { printNow } from './print-now.js';

/** What all clients of this process have lost. */
export const processLosses = new LossTotals(printNow);
