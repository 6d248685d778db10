import { singleFlight } from '../../base/structures/turns.js';
import type { Storage } from '../../store/storage.js';
import { RedisUnfitError, StoreFullError } from '../../store/store-errors.js';
import type { Readiness } from '../api/answer-types.js';
import { refusals } from '../api/refusals.js';
import { inTime } from '../in-time.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';
import { publicName } from './public-name.js';

/** The time limit for a check of the store, in ms. */
const CHECK_MS = 2_000;

/** How long callers of `glance` wait while the store is known to fail, in ms. */
const KNOWN_MS = 100;

/** At most this many destinations are named when the store is full. */
const MOST_NAMED = 5;

/** A delivery that could begin may be due for this long, in ms, before it counts as overdue. */
const OVERDUE_MS = 60_000;

/** The reasons why messages cannot be taken, for metrics and alerts. */
export const NOT_READY = ['closing', 'store-full', 'store-unfit', 'store-failed'] as const;

/** `open` is the reason for callers without a token. It names no customer. */
export type KnownReadiness = Readiness & { readonly open?: string };

export interface ReadinessCheckOptions {
  readonly storage: Pick<Storage, 'check'>;
  readonly managedDestinations: Pick<ManagedDestinations, 'byName'>;
  isClosing(): boolean;
  onError(error: unknown): void;
}

/** Checks whether the service can accept messages. Callers that ask at the same time share one check of the store. */
export class ReadinessCheck {
  readonly #options: ReadinessCheckOptions;
  readonly now: () => Promise<KnownReadiness>;
  #latest: KnownReadiness | undefined;

  constructor(options: ReadinessCheckOptions) {
    this.#options = options;
    this.now = singleFlight(async () => {
      this.#latest = await this.#check();
      return this.#latest;
    });
  }

  /** Avoids a read that would take long and fail. @throws when the last check found that the store fails */
  assertStore(): void {
    if (this.#latest?.code === 'store-failed') throw new Error(this.#latest.reason);
  }

  /** Returns the result of `now`. While the store is known to fail, it waits only briefly and then returns the last result. */
  async glance(): Promise<KnownReadiness> {
    const latest = this.#latest;
    const now = this.now();
    return latest?.code === 'store-failed' ? inTime(now, KNOWN_MS, late(KNOWN_MS)).catch(() => latest) : now;
  }

  /** @throws ApiRefusal when no messages can be taken now */
  async assert(): Promise<void> {
    const { code, reason, open = reason } = await this.now();
    if (code === 'closing') throw refusals.closing();
    if (code !== undefined) throw refusals.notReady(open ?? code);
  }

  async #check(): Promise<KnownReadiness> {
    const { storage, isClosing, onError } = this.#options;
    if (isClosing()) return { ready: false, code: 'closing', reason: 'The service is shutting down' };
    try {
      await inTime(storage.check(), CHECK_MS, late(CHECK_MS));
      return { ready: true, ...this.#overdue() };
    } catch (error) {
      onError(error);
      return { ready: false, ...this.#whyNot(error) };
    }
  }

  /** Reports due deliveries that no process begins. The service stays ready, because it can still accept messages. */
  #overdue(): Pick<Readiness, 'overdue'> {
    const late = this.#destinations()
      .flatMap(({ name, destination }) =>
        destination.endpoints().map(({ url, dueUnclaimedMs: ms }) => ({ name, host: publicName(url), ms })),
      )
      .filter(({ ms }) => ms > OVERDUE_MS)
      .toSorted((one, other) => other.ms - one.ms);
    const [worst] = late;
    if (worst === undefined) return {};
    const others = late.length === 1 ? '' : ` (and ${late.length - 1} more)`;
    const where = `${worst.name} at ${worst.host}${others}`;
    return {
      overdue: `No process begins deliveries that have been due for ${Math.floor(worst.ms / 1_000)} s: ${where}`,
    };
  }

  #destinations(): readonly ManagedDestination[] {
    return [...this.#options.managedDestinations.byName.values()];
  }

  #whyNot(error: unknown): Pick<KnownReadiness, 'code' | 'reason' | 'open'> {
    if (error instanceof StoreFullError) {
      const open = `The store takes no new events: ${Math.floor(error.freeBytes / 2 ** 20)} MB are free`;
      return { code: 'store-full', reason: open + this.#waiting(), open };
    }
    if (error instanceof RedisUnfitError) return { code: 'store-unfit', reason: error.message };
    return { code: 'store-failed', reason: 'The store cannot be read or written' };
  }

  /** Names the destinations with the most waiting deliveries, because discarding these frees space. */
  #waiting(): string {
    const held = this.#destinations()
      .map(({ name, destination: { waiting } }) => ({ name, waiting }))
      .filter(({ waiting }) => waiting > 0)
      .toSorted((one, other) => other.waiting - one.waiting)
      .slice(0, MOST_NAMED)
      .map(({ name, waiting }) => `${name} ${waiting}`);
    return held.length === 0 ? '' : `; deliveries that wait: ${held.join(', ')}`;
  }
}

const late = (ms: number) => (): Error => new Error(`The store took longer than ${ms} ms`);
