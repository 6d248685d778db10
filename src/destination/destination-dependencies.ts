import type { Clock } from '../base/time/clock.js';
import type { FailedBefore } from '../delivery/health.js';
import type { EndpointName } from './endpoints/known-webhooks.js';
import type { Lookup } from './network/ssrf-guard.js';
import type { Recorder } from './reports/recorder.js';
import type { Counters } from './reports/reports.js';
import type { DeletedUsers } from './retention/erasure.js';

/** What a destination depends on, so that tests can replace it. */
export interface Dependencies {
  clock: Clock;
  /** Returns a number in [0, 1). */
  random(): number;
  lookup?: Lookup | undefined;
  /** Recorders that hear of everything that happens. @default none */
  recorders?: readonly Recorder[] | undefined;
  /** The counters, if they continue those of an earlier destination. @default all begin at 0 */
  counters?: Counters | undefined;
  /** Events accepted before their user was deleted are not sent. @default nobody is ever deleted */
  deletedUsers?: DeletedUsers | undefined;
  /** Returns true if the destination of that name is to be opened paused. */
  isPaused?(name: string): boolean;
  /** Returns the current run of failures at an endpoint that an earlier process recorded. @default none are known */
  failedBefore?(destination: string, name: EndpointName): FailedBefore | undefined;
}
