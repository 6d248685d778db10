import type { Attempt } from '../../delivery/state.js';
import type { Entry } from '../../store/event-log.js';
import type { DestinationEvents } from '../destination-events.js';
import type { EndpointName } from '../endpoints/known-webhooks.js';
import type { Exchange } from '../sending/exchange.js';

/** Hears what happens at all destinations of a service, by their names. One recorder for all costs nothing for each. */
export interface Recorder extends EventListeners {
  /** Tells whether it wants to know what goes over the wire to the destination. Asked before each request. */
  wantsExchange?(destination: string): boolean;
  record?: ((attempted: Attempted) => void) | undefined;
  /** Called for each failed attempt. */
  recordFailure?(attempted: Attempted): void;
}

/** It has a listener for each event of a destination that it wants to hear of. */
export type EventListeners = {
  readonly [N in keyof DestinationEvents]?: (report: DestinationEvents[N], destination: string) => unknown;
};

/** An attempt that was made, and what became of its event. */
export interface Attempted {
  /** The name of the destination. */
  readonly destination: string;
  readonly id: string;
  /** The key of the webhook in the store. */
  readonly key: string;
  readonly name: EndpointName;
  readonly attempt: Attempt;
  /** The source of its event, if it has one. */
  readonly source?: string | undefined;
  /** Undefined when the event was settled while the request ran. */
  readonly entry: Entry | undefined;
  /** Undefined when it was not wanted, or no request was made. */
  readonly exchange: Exchange | undefined;
}
