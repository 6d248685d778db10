import * as fs from 'node:fs';
import { plural } from '../../base/text/plural.js';
import type { Analytics } from '../../client/analytics.js';
import { disownUnknown } from '../../client/journal/client-folders.js';
import type { JournalEvent } from '../../client/journal/journal-event.js';
import { EXIT } from '../cli-error.js';
import { type ConnectionOptions, connectionOf } from '../options/connection.js';
import { quietClient } from '../options/quiet-client.js';
import { onInterrupt } from '../terminal/interruption.js';
import type { Terminal } from '../terminal/terminal.js';
import { countOwned } from './found.js';
import { reportSending } from './sending-report.js';
import { adviseTakeOver } from './take-over.js';

export interface FlushJournalOptions extends ConnectionOptions {
  /** The time after which the command stops, in seconds. */
  readonly timeout: number;
  /** Also send messages that were accepted with other write keys, under this one. @default false */
  readonly anySource?: boolean | undefined;
  /** Also send the messages of clients that cannot be checked. Only an operator can know that they have ended. @default false */
  readonly takeOver?: boolean | undefined;
}

/** Delivers the messages of ended processes, as the next client with the journal would. */
export async function flushJournal(path: string, options: FlushJournalOptions, terminal: Terminal): Promise<number> {
  if (options.takeOver) disownUnknown(fs, path);
  const analytics = quietClient({ ...connectionOf(options), journal: { path, adopt: options.anySource ? 'all' : [] } });
  let foreign = 0;
  analytics.on('journal', (event) => {
    if (event.kind === 'foreign') foreign += event.messages;
    else if ('error' in event) tellProblem(event, terminal);
  });
  const endProgress = reportSending(analytics, terminal, () => {
    const { delivered, lost, recovered } = analytics.stats();
    return { delivered, failed: lost, of: recovered };
  });
  const ending = await flushInTime(analytics, options.timeout * 1_000);
  const { delivered, lost, pending } = await analytics.close({ timeout: 0 });
  endProgress();
  const owned = await countOwned(path);
  const text = `${plural(delivered, 'message')} delivered, ${lost} lost, ${pending} left`;
  terminal.print(text, { delivered, lost, pending, owned, foreign });
  if (ending === 'late') {
    const advice = 'give a longer --timeout, or run the command again';
    terminal.note(`journal: the collector did not take the rest within ${options.timeout} s; ${advice}`, { pending });
  }
  if (owned > 0) {
    const belong = owned === 1 ? 'belongs' : 'belong';
    terminal.note(`journal: ${plural(owned, 'more message')} ${belong} to a living process`, { owned });
    adviseTakeOver(path, terminal);
  }
  if (foreign > 0) {
    const which =
      foreign === 1
        ? 'was accepted with another write key, and stays'
        : 'were accepted with another write key, and stay';
    const advice = `give --any-source to send ${foreign === 1 ? 'it' : 'them'} with this one`;
    terminal.note(`journal: ${plural(foreign, 'message')} ${which}; ${advice}`, { foreign });
  }
  if (ending === 'interrupted') return EXIT.interrupted;
  return lost + pending + foreign === 0 ? EXIT.ok : EXIT.failed;
}

function tellProblem({ error, ...event }: Extract<JournalEvent, { error: object }>, terminal: Terminal): void {
  const { code, message } = error;
  terminal.note(`journal: ${message}`, { journal: { ...event, code, error: message } });
}

/** Flushes until the end, the timeout or a signal. The caller counts the remaining messages. */
async function flushInTime(analytics: Analytics, timeout: number): Promise<'done' | 'late' | 'interrupted'> {
  const interruption = new AbortController();
  const { signal } = interruption;
  const stopListening = onInterrupt(() => interruption.abort());
  const isFlushed = await analytics.flush({ timeout, signal }).then(
    () => true,
    () => false,
  );
  stopListening();
  if (signal.aborted) return 'interrupted';
  return isFlushed ? 'done' : 'late';
}
