import { formatCount } from '../../base/text/plural.js';
import { printable } from '../../base/text/printable.js';
import type { Analytics } from '../../client/analytics.js';
import { showProgress } from '../terminal/progress-bar.js';
import type { Terminal } from '../terminal/terminal.js';

export interface DeliveryCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly of: number;
}

/** The code of messages that the end of the command aborts. It says nothing about the collector. */
const OF_THE_END = 'EVENTFERRY_ABORTED';

/**
 * Shows the progress of a replay or flush until you call the returned function, and prints why messages are not delivered, each
 * reason only once, because an outage repeats it many times.
 */
export function reportSending(analytics: Analytics, terminal: Terminal, measure: () => DeliveryCounts): () => void {
  const told = new Set<string>([OF_THE_END]);
  const tell = ({ error: { code, message } }: { readonly error: { code: string; message: string } }): void => {
    if (told.has(code)) return;
    told.add(code);
    terminal.note(`journal: ${printable(message)} (${code})`, { code, error: message });
  };
  analytics.on('retry', tell);
  analytics.on('lost', tell);
  return showProgress(terminal, () => {
    const record = measure();
    return { done: record.delivered + record.failed, total: record.of, text: describe(record), record };
  });
}

const describe = ({ delivered, failed, of }: DeliveryCounts): string =>
  `${formatCount(delivered)} of ${formatCount(of)} delivered${failed === 0 ? '' : `, ${formatCount(failed)} failed`}`;
