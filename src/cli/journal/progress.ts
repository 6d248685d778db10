import { formatCount } from '../../base/text/plural.js';
import { drawBar } from '../progress-bar.js';
import type { Terminal } from '../terminal.js';

/** How often a line is printed, in ms. */
const PRINT_EVERY_MS = 3_000;

export interface Counts {
  readonly delivered: number;
  readonly failed: number;
  readonly of: number;
}

/**
 * Shows how far a replay or a flush is until what is returned is called: as a bar on a terminal, elsewhere as a line every few
 * seconds. Both go to standard error, apart from the result.
 */
export function showProgress(terminal: Terminal, measure: () => Counts): () => void {
  const describe = ({ delivered, failed, of }: Counts): string =>
    `${formatCount(delivered)} of ${formatCount(of)} delivered${failed === 0 ? '' : `, ${formatCount(failed)} failed`}`;
  if (terminal.err.isTTY === true && !terminal.isJson) {
    return drawBar(terminal.err, () => {
      const now = measure();
      return { done: now.delivered + now.failed, total: now.of, text: describe(now) };
    });
  }
  const timer = setInterval(() => terminal.note(describe(measure()), { progress: measure() }), PRINT_EVERY_MS);
  return () => clearInterval(timer);
}
