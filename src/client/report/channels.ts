import type { EventferryError } from '../../base/errors/errors.js';
import { inOwnContext } from '../../base/platform/node.js';
import { Emitter } from '../../base/structures/emitter.js';
import type { Message } from '../../protocol/message.js';
import type { Batch } from '../queue/batch.js';
import type { AnalyticsEvents } from './client-events.js';

/** A message on a channel: the `Analytics` that it is about, and the details. */
type From<Told> = { readonly client: object } & Readonly<Told>;

/**
 * The messages that a client publishes with `node:diagnostics_channel`, by channel name. `client` identifies the client. They
 * never contain the write key.
 */
export interface DiagnosticsMessages {
  /**
   * A call has put a message into the queue. Published inside the call, where the caller's context is active. The objects of
   * `message` are still the caller's; `json` is sent in the batch with the id `batch`.
   */
  'eventferry:message:accepted': From<{ message: Message; json: string; batch: string }>;
  /** The collector has accepted a message. */
  'eventferry:message:delivered': From<AnalyticsEvents['delivered']>;
  /** A message is lost. A message that never entered the queue was not published as accepted. */
  'eventferry:message:lost': From<AnalyticsEvents['lost']>;
  /** A message breaks the catalogue of the client. */
  'eventferry:message:violated': From<AnalyticsEvents['violation']>;
  /** A batch is about to be sent. */
  'eventferry:batch:flushed': From<AnalyticsEvents['flush']>;
  /** An attempt failed and will be repeated. */
  'eventferry:batch:retried': From<AnalyticsEvents['retry']>;
  /**
   * Messages of a batch have ended: how many in which way, the reason of the last loss, and how many messages of the batch have
   * not ended yet.
   */
  'eventferry:batch:ended': From<{
    batch: string;
    delivered: number;
    lost: number;
    pending: number;
    error: EventferryError | undefined;
  }>;
  /** A request begins. `answer` resolves with the status of the response, and rejects if there is none. */
  'eventferry:request:started': From<{ url: string; answer: Promise<{ readonly status: number }> }>;
  /** Something happened to the journal. */
  'eventferry:journal:changed': From<AnalyticsEvents['journal']>;
}

/** The members of a channel that the client uses. */
export interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

/** The name of a channel without its prefix. */
type ChannelName = keyof DiagnosticsMessages extends `eventferry:${infer Name}` ? Name : never;

/** Finds a channel of the process; undefined if the runtime has none. */
export type FindChannel = (name: ChannelName) => Channel | undefined;

const CHANNELS = {
  delivered: 'message:delivered',
  lost: 'message:lost',
  violation: 'message:violated',
  flush: 'batch:flushed',
  retry: 'batch:retried',
  journal: 'journal:changed',
} as const satisfies Record<keyof AnalyticsEvents, ChannelName>;

const NO_LOSSES: ReadonlyMap<EventferryError, number> = new Map();

const NAMES: readonly ChannelName[] = [
  ...Object.values(CHANNELS),
  'message:accepted',
  'batch:ended',
  'request:started',
];

/** Calls the listeners of a client, and publishes the same events on the channels of the process. */
export class PublishingEmitter extends Emitter<AnalyticsEvents> {
  readonly #client: () => object;
  readonly #channels: Readonly<Partial<Record<ChannelName, Channel | undefined>>>;

  constructor(client: () => object, find: FindChannel | undefined, onError: (error: unknown) => void) {
    super(onError);
    this.#client = client;
    this.#channels = Object.fromEntries(NAMES.map((name) => [name, find?.(name)]));
  }

  override has(event: keyof AnalyticsEvents): boolean {
    return this.listeners.has(event) || this.#channels[CHANNELS[event]]?.hasSubscribers === true;
  }

  override emit<E extends keyof AnalyticsEvents>(event: E, payload: AnalyticsEvents[E], onUnheard?: () => void): void {
    inOwnContext(() => {
      const isPublished = this.#channels[CHANNELS[event]]?.hasSubscribers === true;
      // The payload is published unchanged, as the types of the channels describe.
      this.#publish(CHANNELS[event], payload as never);
      super.emit(event, payload, isPublished ? undefined : onUnheard);
    });
  }

  messageAccepted(message: Message, json: string, batch: string): void {
    if (this.#channels['message:accepted']?.hasSubscribers) this.#publish('message:accepted', { message, json, batch });
  }

  requestStarted(url: string, answer: Promise<{ readonly status: number }>): void {
    if (this.#channels['request:started']?.hasSubscribers) this.#publish('request:started', { url, answer });
  }

  /** @param losses the number of lost messages for each reason, among those before `to` */
  batchEnded(
    batch: Pick<Batch, 'id' | 'count'>,
    to: number,
    delivered: number,
    losses: ReadonlyMap<EventferryError, number> = NO_LOSSES,
  ): void {
    if (!this.#channels['batch:ended']?.hasSubscribers) return;
    const { id, count } = batch;
    const lost = [...losses.values()].reduce((sum, messages) => sum + messages, 0);
    this.#publish('batch:ended', { batch: id, delivered, lost, pending: count - to, error: [...losses.keys()].at(-1) });
  }

  #publish<Name extends ChannelName>(
    name: Name,
    told: Omit<DiagnosticsMessages[`eventferry:${Name}`], 'client'>,
  ): void {
    const channel = this.#channels[name];
    if (channel?.hasSubscribers) channel.publish({ client: this.#client(), ...told });
  }
}
