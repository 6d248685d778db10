import { plural } from '../../base/text/plural.js';
import type { Analytics } from '../../client/analytics.js';
import type { DeadMessage } from '../../client/journal/dead-letter-file.js';
import { deadByFile, deadIn, removeDead } from '../../client/journal/inspect-journal.js';
import type { JournaledMessage } from '../../client/journal/message-filter.js';
import type { Receipt } from '../../client/queue/receipt.js';
import { EXIT } from '../cli-error.js';
import { type ConnectionOptions, connectionOf, type ServiceConnection } from '../options/connection.js';
import { quietClient } from '../options/quiet-client.js';
import { onInterrupt } from '../terminal/interruption.js';
import type { Terminal } from '../terminal/terminal.js';
import { DamageFound } from './damage.js';
import { checkFilter, type JournalFilter, meantBy } from './found.js';
import { whileAlone } from './replay-lock.js';
import { reportSending } from './sending-report.js';

export type ReplayJournalOptions = JournalFilter &
  ConnectionOptions & {
    /** How long to retry each letter, in seconds. */
    readonly timeout: number;
  };

/** The least number of letters sent before the delivered ones are removed. */
const ROUND = 1_000;

/** Sends dead letters again with their own ids and times, and removes those that are delivered. */
export async function replayJournal(path: string, options: ReplayJournalOptions, terminal: Terminal): Promise<number> {
  const { endpoint, writeKey, timeout, ...filter } = options;
  checkFilter(filter);
  const isMeant = meantBy(filter);
  const connection = connectionOf({ endpoint, writeKey });
  const client = { ...connection, retryFor: Math.ceil(timeout * 1_000) };
  return whileAlone(path, () => replayAll(path, isMeant, client, terminal));
}

async function replayAll(
  path: string,
  isMeant: (letter: DeadMessage) => boolean,
  client: ServiceConnection & { readonly retryFor: number },
  terminal: Terminal,
): Promise<number> {
  const analytics = quietClient(client);
  const damage = new DamageFound();
  const of = [...deadIn(path, damage.add)].filter(isMeant).length;
  damage.tell(terminal);
  const counts = { delivered: 0, failed: 0, of };
  const endProgress = reportSending(analytics, terminal, () => counts);
  let isInterrupted = false;
  const stopListening = onInterrupt(() => {
    isInterrupted = true;
    void analytics.close({ timeout: 0 });
  });
  let isComplete = false;
  try {
    for (const round of roundsOf(deadByFile(path), isMeant)) {
      const delivered = await replay(analytics, round);
      counts.delivered += delivered.length;
      counts.failed += round.length - delivered.length;
      removeDead(delivered);
      if (isInterrupted) break;
    }
    isComplete = !isInterrupted;
  } finally {
    await analytics.close();
    stopListening();
    endProgress();
    const { delivered: replayed, failed } = counts;
    const left = isComplete ? failed : of - replayed;
    terminal.print(`${plural(replayed, 'dead letter')} replayed, ${left} left`, { replayed, left });
  }
  if (isInterrupted) return EXIT.interrupted;
  return counts.failed === 0 ? EXIT.ok : EXIT.failed;
}

/** Groups letters into rounds. It reads each file just before its letters are sent, because a program may forget some before. */
function* roundsOf(
  files: Iterable<readonly DeadMessage[]>,
  isMeant: (letter: DeadMessage) => boolean,
): Generator<DeadMessage[]> {
  let round: DeadMessage[] = [];
  for (const letters of files) {
    round.push(...letters.filter(isMeant));
    if (round.length < ROUND) continue;
    yield round;
    round = [];
  }
  if (round.length > 0) yield round;
}

async function replay(analytics: Analytics, letters: readonly DeadMessage[]): Promise<DeadMessage[]> {
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
