import { plural } from '../../base/text/plural.js';
import type { Analytics } from '../../client/analytics.js';
import type { JournaledMessage } from '../../client/journal/filter.js';
import { type Dead, deadIn, removeDead } from '../../client/journal/inspect.js';
import type { Receipt } from '../../client/queue/receipt.js';
import { EXIT } from '../cli-error.js';
import { type ConnectionOptions, connectionOf } from '../connection.js';
import { onInterrupt } from '../interruption.js';
import { quietClient } from '../quiet-client.js';
import type { Terminal } from '../terminal.js';
import { DamageFound } from './damage.js';
import { checkFilter, checkJournal, deadFilter, type JournalFilter } from './found.js';
import { showProgress } from './progress.js';

export interface ReplayJournalOptions extends JournalFilter, ConnectionOptions {}

/** The number of letters sent before the delivered ones are removed. */
const ROUND = 1_000;

/** How long to retry while the collector does not answer, in ms. */
const RETRY_FOR_MS = 60_000;

/** Sends dead letters again with their own ids and times, and removes those that are delivered. */
export async function replayJournal(path: string, options: ReplayJournalOptions, terminal: Terminal): Promise<number> {
  const { endpoint, writeKey, ...filter } = options;
  checkJournal(path);
  checkFilter(filter);
  const analytics = quietClient({ ...connectionOf({ endpoint, writeKey }), retryFor: RETRY_FOR_MS });
  const damage = new DamageFound();
  const letters = [...deadIn(path, damage.add)].filter(deadFilter(filter));
  damage.tell(terminal);
  const counts = { delivered: 0, failed: 0, of: letters.length };
  const endProgress = showProgress(terminal, () => counts);
  let isInterrupted = false;
  const stopListening = onInterrupt(() => {
    isInterrupted = true;
    void analytics.close({ timeout: 0 });
  });
  for (let from = 0; from < letters.length && !isInterrupted; from += ROUND) {
    const round = letters.slice(from, from + ROUND);
    const delivered = await replay(analytics, round);
    removeDead(delivered);
    counts.delivered += delivered.length;
    counts.failed += round.length - delivered.length;
  }
  await analytics.close();
  stopListening();
  endProgress();
  const { delivered: replayed, of } = counts;
  terminal.print(`${plural(replayed, 'dead letter')} replayed, ${of - replayed} left`, {
    replayed,
    left: of - replayed,
  });
  if (isInterrupted) return EXIT.interrupted;
  return replayed === of ? EXIT.ok : EXIT.failed;
}

async function replay(analytics: Analytics, letters: readonly Dead[]): Promise<Dead[]> {
  const results = letters.map(async (letter) => {
    await send(analytics, letter.message).delivered;
    return letter;
  });
  void analytics.flush();
  const settled = await Promise.allSettled(results);
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

function send(analytics: Analytics, { type, ...fields }: JournaledMessage): Receipt {
  return (analytics[type as 'track'] as (message: object) => Receipt).call(analytics, fields);
}
