import type { Attempt } from '../../delivery/state.js';
import type { EventChange } from '../../store/event-log.js';
import type { DestinationEvents } from '../destination-events.js';
import type { EndpointName } from '../endpoints/known-webhooks.js';
import type { Exchange } from '../sending/exchange.js';

/** Receives reports from all destinations of a service, with their names. One shared recorder adds no cost per destination. */
export interface Recorder extends EventListeners {
  /**
   * Returns true if the recorder wants to know what is sent to and received from the destination. The sender asks this before
   * each request.
   */
  wantsExchange?(destination: string): boolean;
  record?: ((attempted: Attempted) => void) | undefined;
  /** Called for each failed attempt. */
  recordFailure?(attempted: Attempted): void;
}

/** A listener for each destination event that the recorder wants to hear of. */
export type EventListeners = {
  readonly [N in keyof DestinationEvents]?: (report: DestinationEvents[N], destination: string) => unknown;
};

/** An attempt that was made, and its effect on the event. */
export interface Attempted {
  /** The name of the destination. */
  readonly destination: string;
  readonly id: string;
  /** The key of the webhook in the store. */
  readonly key: string;
  readonly name: EndpointName;
  readonly attempt: Attempt;
  /** The source of the event, if it has one. */
  readonly source?: string | undefined;
  /** Undefined when another endpoint settled the event during the request. */
  readonly entry: EventChange | undefined;
  /** Undefined when no recorder wanted it, or no request was made. */
  readonly exchange: Exchange | undefined;
}
