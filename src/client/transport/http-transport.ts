import type { Clock } from '../../clock.js';
import type { AbortableRequest } from './abortable-request.js';
import type { Route } from './route.js';
import type { TransportAnswer } from './transport.js';

/** A transport that may know more of a request than others do. */
export type Send = (request: AbortableRequest) => Promise<TransportAnswer>;

/** A transport of our own, with its connections. */
export interface HttpTransport {
  readonly send: Send;
  /** Cuts running requests and closes every connection. */
  destroy(): void;
}

export interface HttpTransportOptions extends Route {
  /** How many requests may run at once. */
  readonly concurrency: number;
  /** How long one request may take, in milliseconds. */
  readonly requestTimeout: number;
  readonly clock: Clock;
}
