import { formatCount } from '../../base/text/plural.js';
import { showProgress as show } from '../terminal/progress-bar.js';
import type { Terminal } from '../terminal/terminal.js';

export interface FlushCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly of: number;
}

/** Shows the progress of a replay or flush until you call the returned function. */
export const showProgress = (terminal: Terminal, measure: () => FlushCounts): (() => void) =>
  show(terminal, () => {
    const record = measure();
    return { done: record.delivered + record.failed, total: record.of, text: describe(record), record };
  });

const describe = ({ delivered, failed, of }: FlushCounts): string =>
  `${formatCount(delivered)} of ${formatCount(of)} delivered${failed === 0 ? '' : `, ${formatCount(failed)} failed`}`;
