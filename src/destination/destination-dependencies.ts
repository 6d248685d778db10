import type { Clock } from '../base/time/clock.js';
import type { FailedBefore } from '../delivery/health.js';
import type { EndpointName } from './endpoints/known-webhooks.js';
import type { Lookup } from './network/ssrf-guard.js';
import type { Recorder } from './reports/recorder.js';
import type { DeletedUsers } from './retention/erasure.js';

/** A destination is given these, so that tests can put others in their place. */
export interface Dependencies {
  clock: Clock;
  /** From 0 up to, but not, 1. */
  random(): number;
  lookup?: Lookup | undefined;
  /** They are told of all that happens. @default none */
  recorders?: readonly Recorder[] | undefined;
  /** Events that were accepted before their user was deleted are not sent. @default nobody is ever deleted */
  deletedUsers?: DeletedUsers | undefined;
  /** Tells whether the destination of that name is paused as it is opened. */
  isPaused?(name: string): boolean;
  /** The failures up to now that an earlier process left at an endpoint. @default none are known */
  failedBefore?(destination: string, name: EndpointName): FailedBefore | undefined;
}
