import { Analytics } from '../../client/analytics.js';
import { plural } from '../../plural.js';
import { EXIT } from '../cli-error.js';
import { type ConnectionOptions, connectionOf } from '../connection.js';
import type { Terminal } from '../terminal.js';
import { checkJournal } from './found.js';

export interface FlushJournalOptions extends ConnectionOptions {
  /** In seconds. */
  readonly timeout: number;
}

/** Delivers what processes that live no more have left, as the next client with the journal would. */
export async function flushJournal(path: string, options: FlushJournalOptions, terminal: Terminal): Promise<number> {
  checkJournal(path);
  const analytics = new Analytics({ ...connectionOf(options), journal: path });
  analytics.on('lost', () => {});
  const { delivered, lost, pending } = await analytics.close({ timeout: options.timeout * 1_000 });
  const text = `${plural(delivered, 'message')} delivered, ${lost} lost, ${pending} left`;
  terminal.print(text, { delivered, lost, pending });
  return lost + pending === 0 ? EXIT.ok : EXIT.failed;
}
