import { nextFlight } from '../base/structures/turns.js';
import type { Clock } from '../base/time/clock.js';
import { startInterval } from '../base/time/interval.js';
import type { Recorder } from '../destination/reports/recorder.js';
import type { Storage } from '../store/storage.js';
import type { ErasedUsers } from './attempts/erased-users.js';
import { KeptAttempts } from './attempts/kept-attempts.js';
import { Counts, type CountsOptions } from './counts/counts.js';
import { LastHours } from './counts/last-hours.js';
import { DeliveryErrors } from './examples/delivery-errors.js';
import { Rejections } from './examples/rejections.js';
import { Violations } from './examples/violations.js';
import { ProcessValues } from './process-values.js';

export interface LedgerOptions extends Pick<CountsOptions, 'durations' | 'waiting'> {
  readonly storage: Pick<Storage, 'keyValues' | 'spareBytes' | 'historyBytes'>;
  readonly clock: Clock;
  readonly deletedUsers: ErasedUsers;
  onError(error: unknown): void;
}

/** The interval in ms at which the ledger is written. A process that is killed loses up to this much. */
const WRITE_MS = 1_000;

/**
 * Records what happens at destinations and sources: attempts, counts by time, and examples of errors, rejections and violations.
 * Everything is gathered in memory and written once a second, so that all processes see it and it survives this process.
 */
export class Ledger {
  readonly attempts: KeptAttempts;
  readonly counts: Counts;
  readonly lastHours: LastHours;
  readonly deliveryErrors: DeliveryErrors;
  readonly rejections: Rejections;
  readonly violations: Violations;
  /** The parts that want to know of each attempt. */
  readonly recorders: readonly Recorder[];
  /** Resolves when everything recorded so far is written, or the write has failed. */
  readonly flush: () => Promise<void>;
  readonly #values: ProcessValues;
  readonly #options: LedgerOptions;
  readonly #stop: () => void;

  constructor(options: LedgerOptions) {
    const { storage, clock, durations, waiting, onError } = options;
    const { keyValues } = storage;
    this.#options = options;
    this.#values = new ProcessValues(keyValues);
    const parts = { keyValues, values: this.#values, clock };
    this.attempts = new KeptAttempts({ ...options, process: this.#values.process });
    this.counts = new Counts({ ...parts, durations, waiting });
    this.lastHours = new LastHours(keyValues, () => clock.now());
    this.deliveryErrors = new DeliveryErrors(parts);
    this.rejections = new Rejections(parts);
    this.violations = new Violations(parts);
    this.recorders = [this.counts, this.attempts.unwritten, this.deliveryErrors];
    this.flush = nextFlight(() => this.#write());
    this.#stop = startInterval({ clock, everyMs: WRITE_MS, act: this.flush, onError });
  }

  /** Removes what is too old or beyond the limits. */
  async sweep(): Promise<void> {
    await this.attempts.sweep();
    await this.counts.sweep();
    for (const { examples } of [this.deliveryErrors, this.rejections, this.violations]) await examples.sweep();
  }

  /** Stops the repeated writes, and writes what is left. */
  async close(): Promise<void> {
    this.#stop();
    await this.flush();
    await this.attempts.close();
  }

  async #write(): Promise<void> {
    const { storage, onError } = this.#options;
    this.counts.collect();
    const hasRoom = storage.spareBytes() > 0;
    await Promise.all([this.#values.write(hasRoom).catch(onError), this.attempts.write().catch(onError)]);
  }
}
