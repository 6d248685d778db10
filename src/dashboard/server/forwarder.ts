import { EventferryError } from '../../base/errors/errors.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import type { Deliverable } from '../../delivery/deliverable.js';
import type { Receipt } from '../../destination/arrivals.js';
import { Destination } from '../../destination/destination.js';
import type { DestinationOptions } from '../../destination/options.js';
import { recentMap } from './recent.js';

export interface ForwarderOptions {
  /** The URLs, 1 to 5. */
  readonly webhooks: readonly string[];
  readonly secret?: string | undefined;
  /** How long a webhook may take to answer, in ms. @default that of a destination */
  readonly requestTimeout?: number | undefined;
  /** How a destination is opened. @default Destination.open */
  open?(settings: DestinationOptions): Promise<Destination>;
}

/** What became of a message that was to be forwarded and was not. */
export type OnSkipped = (message: ReceivedMessage, reason: string) => void;

export interface ReplayResult {
  readonly isDone: boolean;
  /** What was done, or why nothing was. */
  readonly text: string;
}

/** How much is kept, so that an endpoint that is down for a day costs no more memory than this. */
const [MOST_WAITING, MOST_DEAD, MOST_RECENT] = [10_000, 2_000, 2_000];
const CLOSE_TIMEOUT_MS = 1_000;

const SKIPPED: Readonly<Record<Exclude<Receipt['status'], 'accepted'>, string>> = {
  skipped: 'its integrations leave out Webhooks',
  duplicate: 'one of the same id waits, or is dead, at a webhook',
};

/**
 * Gives each webhook what the collector takes, as the service would: signed, tried again, isolated from the others. In
 * memory, and webhooks may be on this machine.
 */
export class Forwarder {
  readonly destination: Destination;
  readonly #onSkipped: OnSkipped;
  readonly #recent = recentMap<ReceivedMessage>(MOST_RECENT);
  readonly #dead = new Set<string>();

  private constructor(destination: Destination, onSkipped: OnSkipped) {
    this.destination = destination;
    this.#onSkipped = onSkipped;
    destination.on('dead', ({ id }) => this.#bury(id));
  }

  /** @throws OptionError when a URL or the secret cannot be used */
  static async open(
    { webhooks, secret, requestTimeout, open = Destination.open }: ForwarderOptions,
    onSkipped: OnSkipped,
  ): Promise<Forwarder> {
    const destination = await open({
      webhooks: webhooks.map((url) => ({ url })),
      sharedSecret: secret,
      requestTimeout,
      allowLoopback: true,
      // With two receivers, the event goes to both, and each has its own attempts.
      settle: 'each',
    });
    return new Forwarder(destination, onSkipped);
  }

  /** The message of that id, while it is known. */
  message(id: string): ReceivedMessage | undefined {
    return this.#recent.get(id);
  }

  async forward(messages: readonly ReceivedMessage[]): Promise<void> {
    for (const message of messages) {
      this.#recent.set(message.messageId, message);
      const reason = await this.#deliver(message);
      if (reason !== undefined) this.#onSkipped(message, reason);
    }
  }

  /** Sends it again: to the endpoint where it is dead, or, when it had arrived, to each. */
  async replay(id: string, endpoint: string): Promise<ReplayResult> {
    if ((await this.destination.replay({ id, endpoint })) > 0) return { isDone: true, text: 'Sent again' };
    const explanation = await this.destination.explain(id);
    const phase = explanation?.endpoints.find(({ url }) => url === endpoint)?.phase;
    if (phase !== undefined && phase !== 'delivered') return { isDone: false, text: 'An attempt is still to come' };
    const message = this.#recent.get(id);
    if (message === undefined) return { isDone: false, text: 'The message is no longer known' };
    const reason = await this.#deliver(message);
    return reason === undefined
      ? { isDone: true, text: 'Sent again to each webhook' }
      : { isDone: false, text: reason };
  }

  /** Lets go of what is known of the past. What waits is still delivered. */
  async clear(): Promise<void> {
    this.#recent.clear();
    this.#dead.clear();
    await this.destination.discard({});
  }

  close(): Promise<void> {
    return this.destination.close({ timeout: CLOSE_TIMEOUT_MS });
  }

  /** Why it is not delivered, or undefined when it will be. */
  async #deliver(message: ReceivedMessage): Promise<string | undefined> {
    const waiting = Math.max(...this.destination.endpoints().map((endpoint) => endpoint.waiting));
    if (waiting >= MOST_WAITING) return `${MOST_WAITING} wait already`;
    try {
      // The destination checks what it needs of a message, and hands on the rest as it is.
      const { status } = await this.destination.deliver(message as unknown as Deliverable);
      return status === 'accepted' ? undefined : SKIPPED[status];
    } catch (error) {
      if (!(error instanceof EventferryError)) throw error;
      return error.message;
    }
  }

  #bury(id: string): void {
    this.#dead.add(id);
    const [oldest] = this.#dead;
    if (this.#dead.size <= MOST_DEAD || oldest === undefined) return;
    this.#dead.delete(oldest);
    // The memory store does not fail, and after the end there is nothing to let go of.
    this.destination.discard({ id: oldest }).catch(() => {});
  }
}
