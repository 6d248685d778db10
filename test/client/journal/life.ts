import type { Analytics, AnalyticsOptions, JournalEvent } from '../../../src/index.js';
import { client } from '../../support/client.js';
import type { FakeClock } from '../../support/fake-clock.js';
import type { Sink } from '../../support/sink.js';

const DOWN = 'http://127.0.0.1:1';

/** One client with a journal, from its constructor to its end. */
export interface Life {
  readonly analytics: Analytics;
  readonly clock: FakeClock;
  readonly events: JournalEvent[];
}

/** Opens a client with a journal. Without an endpoint, its collector is down. */
export function open(path: string, options: Partial<AnalyticsOptions> & { endpoint?: string } = {}): Life {
  const { analytics, clock } = client({ endpoint: DOWN, journal: path, ...options });
  const events: JournalEvent[] = [];
  analytics.on('journal', (event) => events.push(event));
  return { analytics, clock, events };
}

export const numbered = (n: number, pad = '') => ({ userId: 'u', event: 'E', properties: { n, pad } });

export const numbersOf = ({ messages }: Sink): unknown[] =>
  messages.map((message) => (message as { properties?: { n?: number } }).properties?.n);

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Ends a client before it has delivered anything. */
export async function leave({ analytics, clock }: Life) {
  const closed = analytics.close({ timeout: 1 });
  // The collector is down, so the clock is advanced until the client gives up.
  const timer = setInterval(() => clock.advance(10), 1);
  const stats = await closed;
  clearInterval(timer);
  return stats;
}

/** Tracks `count` messages and leaves them in the journal. Each is stored before the next is tracked. */
export async function leaveBehind(path: string, count: number, first = 0) {
  const life = open(path);
  const receipts = [];
  for (const n of upTo(count)) {
    const receipt = life.analytics.track(numbered(first + n));
    receipt.delivered.catch(() => {});
    await receipt.stored;
    receipts.push(receipt);
  }
  return { receipts, stats: await leave(life) };
}
