import type { ReceivedMessage } from '../../collector/received-message.js';
import { RULES } from '../../delivery/outcome.js';
import type { Destination } from '../../destination/destination.js';
import type { AttemptReport } from '../../destination/events.js';
import { titleOf } from '../page/format.js';
import type { DeliveryEntry, NewEntry } from './entry.js';
import type { Feed } from './feed.js';
import { Forwarder, type ForwarderOptions, type ReplayResult } from './forwarder.js';

/** The way from the collector to the webhooks. */
export interface Deliveries {
  readonly destination: Destination;
  forward(messages: readonly ReceivedMessage[]): Promise<void>;
  replay(id: string, endpoint: string): Promise<ReplayResult>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** How long changes of the endpoints are collected, so that a burst is not one message each. */
const COLLECT_MS = 100;

/** How often the endpoints are looked at besides: the end of a pause is no event. */
const LOOK_MS = 1_000;

const LAST_ATTEMPT = 'every attempt that the schedule and the time allow has failed';
const TOO_LATE = 'its time ran out before another attempt could be made';

/**
 * Opens that way, and tells the feed of every attempt and of how the endpoints are.
 *
 * @throws OptionError when a URL or the secret cannot be used
 */
export async function openDeliveries(options: ForwarderOptions, feed: Feed): Promise<Deliveries> {
  const forwarder = await Forwarder.open(options, (message, reason) => feed.add(skipped(message, reason)));
  const { destination } = forwarder;
  const attempts = new AttemptCounts();
  const show = (): void => feed.showEndpoints(destination.endpoints());
  const showSoon = throttled(show, COLLECT_MS);
  const looking = setInterval(show, LOOK_MS).unref();
  destination.on('attempt', (report) => {
    const attempt = attempts.count(report);
    feed.add(attempted(report, attempt, forwarder.message(report.id)));
    showSoon.ask();
  });
  destination.on('dead', ({ id, type, endpoints }) => {
    for (const { url: endpoint } of endpoints) {
      const attempt = attempts.end(id, endpoint);
      if (attempt === undefined) continue;
      const title = titled(forwarder.message(id));
      const what = { outcome: 'dead', result: 'too late', durationMs: 0, reason: TOO_LATE } as const;
      feed.add({ kind: 'delivery', at: new Date().toISOString(), id, type, title, endpoint, attempt, ...what });
    }
    showSoon.ask();
  });
  destination.on('breaker', showSoon.ask);
  show();
  return {
    destination,
    async forward(messages) {
      await forwarder.forward(messages);
      showSoon.ask();
    },
    async replay(id, endpoint) {
      const result = await forwarder.replay(id, endpoint);
      showSoon.ask();
      return result;
    },
    clear: () => forwarder.clear(),
    async close() {
      await forwarder.close();
      showSoon.cancel();
      clearInterval(looking);
    },
  };
}

/** Numbers the attempts of each delivery, as the reports of attempts do not. */
class AttemptCounts {
  readonly #counts = new Map<string, number>();
  /** Deliveries whose end an attempt has told of. */
  readonly #ended = new Set<string>();

  count({ id, endpoint, attempt, nextAttemptAt }: AttemptReport): number {
    const key = keyOf(id, endpoint);
    const number = (this.#counts.get(key) ?? 0) + 1;
    if (nextAttemptAt !== undefined) this.#counts.set(key, number);
    else this.#counts.delete(key);
    if (nextAttemptAt === undefined && RULES[attempt.result].verdict !== 'delivered') this.#ended.add(key);
    return number;
  }

  /** How many attempts a delivery had that ended while it waited; undefined when an attempt was its end. */
  end(id: string, endpoint: string): number | undefined {
    const key = keyOf(id, endpoint);
    const number = this.#counts.get(key) ?? 0;
    this.#counts.delete(key);
    return this.#ended.delete(key) ? undefined : number;
  }
}

const keyOf = (id: string, endpoint: string): string => `${endpoint} ${id}`;

/** An attempt as the page shows it. */
export function attempted(
  report: AttemptReport,
  number: number,
  message: ReceivedMessage | undefined,
): DeliveryEntryToBe {
  const { id, type = '', endpoint, attempt, nextAttemptAt } = report;
  const { at, durationMs, result, status, code } = attempt;
  const { verdict, because } = RULES[result];
  const isGivenUp = verdict === 'retry' && nextAttemptAt === undefined;
  return {
    kind: 'delivery',
    at: new Date(at).toISOString(),
    id,
    type,
    title: titled(message),
    endpoint,
    attempt: number,
    outcome: isGivenUp ? 'dead' : verdict,
    result: status === undefined ? (code ?? result) : String(status),
    durationMs,
    reason: isGivenUp ? LAST_ATTEMPT : because,
    ...(nextAttemptAt !== undefined && { nextAttemptAt: new Date(nextAttemptAt).toISOString() }),
  };
}

/** Before it is numbered. */
type DeliveryEntryToBe = Omit<DeliveryEntry, 'seq'>;

const skipped = ({ messageId: id, type, receivedAt: at, ...fields }: ReceivedMessage, reason: string): NewEntry => ({
  kind: 'delivery',
  at,
  id,
  type,
  title: titleOf({ type, ...fields }),
  endpoint: '',
  attempt: 0,
  outcome: 'skipped',
  result: 'not sent',
  durationMs: 0,
  reason,
});

const titled = (message: ReceivedMessage | undefined): DeliveryEntry['title'] =>
  message === undefined ? '' : titleOf(message);

/** Acts once for all that asked meanwhile. */
function throttled(act: () => void, ms: number): { ask(): void; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    ask() {
      timer ??= setTimeout(() => {
        timer = undefined;
        act();
      }, ms);
    },
    cancel: () => clearTimeout(timer),
  };
}
