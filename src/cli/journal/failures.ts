import { printable } from '../../base/text/printable.js';
import type { Analytics } from '../../client/analytics.js';
import type { Terminal } from '../terminal/terminal.js';

/** The code of messages that the end of the command aborts. It says nothing about the collector. */
const OF_THE_END = 'EVENTFERRY_ABORTED';

/** Prints why messages are not delivered, each reason only once, because an outage repeats it many times. */
export function tellFailures(analytics: Analytics, terminal: Terminal): void {
  const told = new Set<string>([OF_THE_END]);
  const tell = ({ error: { code, message } }: { readonly error: { code: string; message: string } }): void => {
    if (told.has(code)) return;
    told.add(code);
    terminal.note(`journal: ${printable(message)} (${code})`, { code, error: message });
  };
  analytics.on('retry', tell);
  analytics.on('lost', tell);
}
