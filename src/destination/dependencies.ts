import type { Clock } from '../base/time/clock.js';
import type { DeletedUsers } from './erasure.js';
import type { Recorder } from './recorder.js';
import type { Lookup } from './ssrf-guard.js';

/** What tests put in the place of the dependencies. */
export interface Dependencies {
  clock: Clock;
  /** From 0 up to, but not, 1. */
  random(): number;
  lookup?: Lookup | undefined;
  /** @default none */
  recorders?: readonly Recorder[] | undefined;
  /** Events that were accepted before their user was deleted are not sent. @default nobody is ever deleted */
  deletedUsers?: DeletedUsers | undefined;
  /** Whether the destination is paused as it is opened. */
  isPaused?(): boolean;
  /** Whether its name was configured no more for a while. @default false */
  wasRemoved?: boolean | undefined;
}
