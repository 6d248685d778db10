import type { Clock } from '../clock.js';
import type { Outgoing } from './outgoing.js';
import type { Route } from './route.js';
import type { TransportAnswer } from './transport.js';

/** A transport that may know more of a request than others do. */
export type Send = (request: Outgoing) => Promise<TransportAnswer>;

/** A transport of our own, with its connections. */
export interface Wire {
  readonly send: Send;
  /** Cuts what is under way and closes every connection. */
  destroy(): void;
}

export interface WireOptions extends Route {
  /** How many requests may be under way at once. */
  readonly concurrency: number;
  /** How long one request may take, in milliseconds. */
  readonly requestTimeout: number;
  readonly clock: Clock;
}
