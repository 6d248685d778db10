import type { Attempt } from '../delivery/state.js';
import type { Entry } from '../store/event-log.js';
import type { Exchange } from './exchange.js';
import type { EndpointName } from './known-webhooks.js';

/** Is told of every attempt. */
export interface Recorder {
  /** Whether it wants to know what goes over the wire. Asked before each request. */
  wantsExchange(): boolean;
  record(attempted: Attempted): void;
}

/** An attempt that was made, and what became of its event. */
export interface Attempted {
  readonly id: string;
  /** The key of the webhook in the store. */
  readonly key: string;
  readonly name: EndpointName;
  readonly attempt: Attempt;
  /** Undefined when the event was settled while the request ran. */
  readonly entry: Entry | undefined;
  /** Undefined when it was not wanted, or no request was made. */
  readonly exchange: Exchange | undefined;
}
