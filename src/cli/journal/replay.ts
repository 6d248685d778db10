import { Analytics } from '../../client/analytics.js';
import { type Dead, deadIn, type JournaledMessage, removeDead } from '../../client/journal/inspect.js';
import type { Receipt } from '../../client/queue/receipt.js';
import { plural } from '../../plural.js';
import { EXIT } from '../cli-error.js';
import { type ConnectionOptions, connectionOf } from '../connection.js';
import type { Terminal } from '../terminal.js';
import { checkFilter, checkJournal, deadFilter, type JournalFilter } from './found.js';

export interface ReplayJournalOptions extends JournalFilter, ConnectionOptions {}

/** How many letters are sent before those that were delivered are removed. */
const ROUND = 1_000;

/** How long a collector that does not answer is tried again, in ms. */
const RETRY_FOR_MS = 60_000;

/** Sends dead letters again, with the ids and times that they have. Those that are delivered are removed. */
export async function replayJournal(path: string, options: ReplayJournalOptions, terminal: Terminal): Promise<number> {
  const { endpoint, writeKey, ...filter } = options;
  checkJournal(path);
  checkFilter(filter);
  const analytics = new Analytics({ ...connectionOf({ endpoint, writeKey }), retryFor: RETRY_FOR_MS });
  analytics.on('lost', () => {});
  const letters = [...deadIn(path)].filter(deadFilter(filter)).filter(({ message }) => message !== null);
  let replayed = 0;
  for (let from = 0; from < letters.length; from += ROUND) {
    const delivered = await replay(analytics, letters.slice(from, from + ROUND));
    removeDead(delivered);
    replayed += delivered.length;
    terminal.note(`${replayed} of ${letters.length}`, { progress: { replayed, of: letters.length } });
  }
  await analytics.close();
  const failed = letters.length - replayed;
  terminal.print(`${plural(replayed, 'dead letter')} replayed, ${failed} failed`, { replayed, failed });
  return failed === 0 ? EXIT.ok : EXIT.failed;
}

async function replay(analytics: Analytics, letters: readonly Dead[]): Promise<Dead[]> {
  const results = letters.map(async (letter) => {
    await send(analytics, letter.message as JournaledMessage).delivered;
    return letter;
  });
  void analytics.flush();
  const settled = await Promise.allSettled(results);
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

function send(analytics: Analytics, { type, ...fields }: JournaledMessage): Receipt {
  return (analytics[type as 'track'] as (message: object) => Receipt).call(analytics, fields);
}
