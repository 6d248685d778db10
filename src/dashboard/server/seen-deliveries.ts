import { EventferryError } from '../../base/errors/errors.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import { becauseOf, RULES } from '../../delivery/attempt-outcome.js';
import type { Deliverable } from '../../delivery/deliverable.js';
import { Destination } from '../../destination/destination.js';
import type { AttemptReport, DeadReport } from '../../destination/destination-events.js';
import type { Receipt } from '../../destination/intake/arrivals.js';
import type { DestinationOptions } from '../../destination/settings/destination-options.js';
import { titleOf } from '../page/format-values.js';
import type { DeliveryEntry } from './entry.js';
import type { Feed } from './live-feed.js';
import { RecentMap } from './recent.js';

export interface DeliveriesOptions {
  /** The URLs of one to five webhooks. */
  readonly webhooks: readonly string[];
  readonly secret?: string | undefined;
  /** How long a webhook may take to answer, in ms. @default that of a destination */
  readonly requestTimeout?: number | undefined;
  /** Opens the destination. @default Destination.open */
  open?(settings: DestinationOptions): Promise<Destination>;
}

/** These limits bound the memory, even if an endpoint is down for a day. */
const [MOST_WAITING, MOST_DEAD, MOST_RECENT] = [10_000, 2_000, 2_000];
const CLOSE_TIMEOUT_MS = 1_000;

/** The interval in ms at which the page gets the state of the endpoints, because the end of a pause causes no event. */
const LOOK_MS = 250;

const LAST_ATTEMPT = 'every attempt that the schedule and the time allow has failed';
const TOO_LATE = 'its time ran out before another attempt could be made';

const SKIPPED: Readonly<Record<Exclude<Receipt['status'], 'accepted'>, string>> = {
  skipped: 'its integrations leave out Webhooks',
  duplicate: 'one of the same id waits, or is dead, at a webhook',
};

/** A delivery that has no number in the feed yet. */
type NewDelivery = Omit<DeliveryEntry, 'seq'>;

/**
 * Delivers what the collector accepts to each webhook, as the service would: signed, retried and isolated from the others.
 * Everything is in memory, and webhooks may be on this machine. The feed gets every attempt and the state of the endpoints.
 */
export class Deliveries {
  readonly destination: Destination;
  readonly #feed: Feed;
  readonly #recent = new RecentMap<ReceivedMessage>(MOST_RECENT);
  /** Deliveries whose last attempt was already shown as final, until the destination reports that they are dead. */
  readonly #ended = new Set<string>();
  readonly #looking: NodeJS.Timeout;

  private constructor(destination: Destination, feed: Feed) {
    this.destination = destination;
    this.#feed = feed;
    destination.on('attempt', (report) => this.#addAttempt(report));
    destination.on('dead', (report) => this.#addTooLate(report));
    const show = (): void => feed.showEndpoints(destination.endpoints());
    show();
    this.#looking = setInterval(show, LOOK_MS).unref();
  }

  /** @throws OptionError when a URL or the secret cannot be used */
  static async open(options: DeliveriesOptions, feed: Feed): Promise<Deliveries> {
    const { webhooks, secret, requestTimeout, open = Destination.open } = options;
    const destination = await open({
      webhooks: webhooks.map((url) => ({ url })),
      sharedSecret: secret,
      requestTimeout,
      allowLoopback: true,
      maxDeadLetters: { events: MOST_DEAD },
      // With two receivers, the event is sent to both, and each has its own attempts.
      settle: 'each',
    });
    return new Deliveries(destination, feed);
  }

  async forward(messages: readonly ReceivedMessage[]): Promise<void> {
    for (const message of messages) {
      this.#recent.set(message.messageId, message);
      const reason = await this.#deliver(message);
      if (reason !== undefined) this.#feed.add(skipped(message, reason));
    }
  }

  /**
   * Sends a message again: to the endpoint at which it is dead or, if it was delivered, to each. Returns a text for the user that
   * tells what was done, or why nothing was.
   */
  async replay(id: string, endpoint: string): Promise<string> {
    if ((await this.destination.replay({ id, endpoint })) > 0) return 'Sent again';
    const explanation = await this.destination.explain(id);
    const phase = explanation?.endpoints.find(({ url }) => url === endpoint)?.phase;
    if (phase !== undefined && phase !== 'delivered') return 'An attempt is still to come';
    const message = this.#recent.get(id);
    if (message === undefined) return 'The message is no longer known';
    return (await this.#deliver(message)) ?? 'Sent again to each webhook';
  }

  /** Removes all past deliveries. Messages that wait are still delivered. */
  async clear(): Promise<void> {
    this.#recent.clear();
    await this.destination.discard({});
  }

  close(): Promise<void> {
    clearInterval(this.#looking);
    return this.destination.close({ timeout: CLOSE_TIMEOUT_MS });
  }

  /** Returns why the message is not delivered; undefined if it will be. */
  async #deliver(message: ReceivedMessage): Promise<string | undefined> {
    const waiting = Math.max(...this.destination.endpoints().map((endpoint) => endpoint.waiting));
    if (waiting >= MOST_WAITING) return `${MOST_WAITING} wait already`;
    try {
      // The destination checks the fields that it needs, and passes on the rest unchanged.
      const { status } = await this.destination.deliver(message as unknown as Deliverable);
      return status === 'accepted' ? undefined : SKIPPED[status];
    } catch (error) {
      if (!(error instanceof EventferryError)) throw error;
      return error.message;
    }
  }

  #addAttempt(report: AttemptReport): void {
    const { id, endpoint } = report;
    const entry = attempted(report, this.#recent.get(id));
    if (entry.outcome === 'dead') this.#ended.add(keyOf(id, endpoint));
    this.#feed.add(entry);
  }

  /** Shows deliveries that became dead letters while they waited. The others were already shown with their last attempt. */
  #addTooLate({ id, type, endpoints }: DeadReport): void {
    const title = titled(this.#recent.get(id));
    for (const { url: endpoint } of endpoints)
      if (!this.#ended.delete(keyOf(id, endpoint)))
        this.#feed.add({
          ...{ ...NO_ATTEMPT, at: new Date().toISOString(), id, type, title, endpoint },
          ...{ outcome: 'dead', result: 'too late', reason: TOO_LATE },
        });
  }
}

const keyOf = (id: string, endpoint: string): string => `${endpoint} ${id}`;

/** Describes an attempt in the form in which the page shows it. */
export function attempted(report: AttemptReport, message: ReceivedMessage | undefined): NewDelivery {
  const { id, type = '', endpoint, attempt, number = 1, nextAttemptAt } = report;
  const { at, durationMs, result, status, code } = attempt;
  const { verdict } = RULES[result];
  const isLast = verdict === 'retry' && nextAttemptAt === undefined;
  return {
    kind: 'delivery',
    at: new Date(at).toISOString(),
    id,
    type,
    title: titled(message),
    endpoint,
    attempt: number,
    outcome: isLast ? 'dead' : verdict,
    result: status === undefined ? (code ?? result) : String(status),
    durationMs,
    reason: isLast ? LAST_ATTEMPT : becauseOf(attempt),
    ...(nextAttemptAt !== undefined && { nextAttemptAt: new Date(nextAttemptAt).toISOString() }),
  };
}

const NO_ATTEMPT = { kind: 'delivery', attempt: 0, durationMs: 0 } as const;

const skipped = (message: ReceivedMessage, reason: string): NewDelivery => ({
  ...{ ...NO_ATTEMPT, at: message.receivedAt, id: message.messageId, type: message.type, title: titled(message) },
  ...{ endpoint: '', outcome: 'skipped', result: 'not sent', reason },
});

const titled = (message: ReceivedMessage | undefined): string => (message === undefined ? '' : titleOf(message));
