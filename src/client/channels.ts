import type { AttemptError, EventferryError } from '../errors.js';
import type { Message } from '../protocol/message.js';

/**
 * What a client publishes with `node:diagnostics_channel`, by the names of the channels. `client` is the `Analytics` that it is
 * about, so that a subscriber can tell several apart. No write key is in there.
 */
export interface DiagnosticsMessages {
  /** A call has put a message into the queue. Published inside the call, where the caller's context is active. */
  'eventferry:message:accepted': {
    readonly client: object;
    /** As it will be sent. Its objects are still the caller's: read `json` for what is sent. */
    readonly message: Message;
    readonly json: string;
    /** The id of the batch that it will be sent with. */
    readonly batch: string;
  };
  /** The collector has accepted a message. */
  'eventferry:message:delivered': { readonly client: object; readonly message: Message; readonly batch: string };
  /** A message is lost. One that never came into the queue has no `batch`, and was not published as accepted. */
  'eventferry:message:lost': {
    readonly client: object;
    readonly message: Message;
    readonly batch: string | undefined;
    readonly error: EventferryError;
  };
  /** A batch leaves: how many messages, and the bytes of its body before compression. */
  'eventferry:batch:flushed': {
    readonly client: object;
    readonly batch: string;
    readonly messages: number;
    readonly bytes: number;
  };
  /** An attempt failed and will be repeated: which one, from 1, and for how many milliseconds all sending pauses. */
  'eventferry:batch:retried': {
    readonly client: object;
    readonly batch: string;
    readonly messages: number;
    readonly attempt: number;
    readonly delayMs: number;
    readonly error: AttemptError;
  };
  /** Messages of a batch have ended: how many in which way, and how many of the batch have not ended yet. */
  'eventferry:batch:ended': {
    readonly client: object;
    readonly batch: string;
    readonly delivered: number;
    readonly lost: number;
    readonly pending: number;
  };
  /** A request has ended, with the status of its answer or with why there was none. A batch may take several. */
  'eventferry:request:ended': {
    readonly client: object;
    readonly url: string;
    readonly durationMs: number;
    readonly status: number | undefined;
    readonly error: Error | undefined;
  };
}

/** As much of a channel as the client uses. */
export interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

/** A channel of the process; undefined where the runtime has none. */
export type FindChannel = (name: keyof DiagnosticsMessages) => Channel | undefined;

/** The channels that a client publishes on. */
export const openChannels = (find: FindChannel) => ({
  accepted: find('eventferry:message:accepted'),
  delivered: find('eventferry:message:delivered'),
  lost: find('eventferry:message:lost'),
  flushed: find('eventferry:batch:flushed'),
  retried: find('eventferry:batch:retried'),
  ended: find('eventferry:batch:ended'),
  requested: find('eventferry:request:ended'),
});

export type Channels = ReturnType<typeof openChannels>;
