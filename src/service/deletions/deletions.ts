import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../../delivery/clock.js';
import { startInterval } from '../../interval.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { Incoming } from '../ingest/ingest.js';
import { DeletionRecords, type Kept } from './deletion-records.js';
import { type DeletionRecord, type DeletionReport, idAt, isDone, notificationsOf, reportOf } from './record.js';

export interface DeletionsOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  /** The sources from which a user has gone to an enabled destination. */
  affectedSources(): readonly string[];
  /**
   * Takes the users out of every audience, as of that time, and says whether they are in none now. Otherwise it is called
   * again.
   */
  withdraw(users: readonly string[], at: number): Promise<boolean>;
  /** Resolves once what was stored before is kept as well as it will be. */
  readonly settled?: (() => Promise<void>) | undefined;
  /** Stores the notifications, each id once. */
  accept(source: string, notifications: readonly Incoming[]): Promise<void>;
  onDone(report: DeletionReport): void;
  /** Told what went wrong; it is tried again. */
  onError(error: unknown): void;
}

/** The most users of one request. */
export const MOST_USERS = 5_000;

/** For how long a process holds a deletion without a sign of life, and how often others look, in ms. */
const HOLD_MS = 30_000;
const LOOK_MS = 5_000;

/** How many notifications are stored between two notes of how far it is. */
const STEP = 500;

/** How often those that were done long ago are looked for, in ms. */
const SWEEP_MS = 60 * 60_000;

/**
 * Takes users out of all audiences, and then sends `delete` notifications for them. What is asked for is on the key-value store, users
 * and all, before the call is answered; a process that ends half way is followed by any other, or by itself when it comes
 * back. The ids of the notifications follow from what they are about, so that a step done twice is taken once.
 */
export class Deletions {
  readonly #options: DeletionsOptions;
  readonly #records: DeletionRecords;
  readonly #process = randomUUID();
  readonly #running = new Set<string>();
  readonly #busy = new Set<Promise<void>>();
  #stops: (() => void)[] = [];
  #isStopped = false;

  constructor(options: DeletionsOptions) {
    this.#options = options;
    this.#records = new DeletionRecords(options.keyValues, options.clock);
  }

  /** Goes on with what a process left undone, now and whenever there is such a thing. */
  start(): void {
    const { clock, onError } = this.#options;
    this.#run(this.#records.markUndone().then(() => this.#look()));
    this.#stops = [
      startInterval({ clock, everyMs: LOOK_MS, act: () => this.#look(), onError }),
      startInterval({ clock, everyMs: SWEEP_MS, act: () => this.#records.removeOld(), onError }),
    ];
  }

  /** Once it resolves the users will be deleted, whatever happens to this process. */
  async request(userIds: readonly string[], sources?: readonly string[]): Promise<DeletionReport> {
    const { clock, affectedSources } = this.#options;
    const now = clock.wall();
    const affected = affectedSources().filter((source) => sources?.includes(source) ?? true);
    const users = [...new Set(userIds)];
    const record: DeletionRecord = {
      id: idAt(now, randomUUID().slice(0, 13)),
      at: now,
      users: users.length,
      sources: affected,
      isInAudiences: true,
      done: 0,
      holder: this.#hold(),
    };
    // So that it is not taken for one that was left undone.
    this.#running.add(record.id);
    try {
      const kept = await this.#records.add(record, users);
      await this.#options.settled?.();
      this.#run(this.#carryOut(kept));
    } catch (error) {
      this.#running.delete(record.id);
      throw error;
    }
    return reportOf(record);
  }

  async get(id: string): Promise<DeletionReport | undefined> {
    const kept = await this.#records.get(id);
    return kept && reportOf(kept.record);
  }

  /** The newest first, up to so many. */
  async list(limit: number): Promise<DeletionReport[]> {
    return (await this.#records.newest(limit)).map(reportOf);
  }

  /** Ends after the step that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const stop of this.#stops) stop();
    await Promise.all(this.#busy);
  }

  #run(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => this.#options.onError(error))
      .then(() => void this.#busy.delete(ended));
    this.#busy.add(ended);
  }

  async #look(): Promise<void> {
    for await (const kept of this.#records.undone()) {
      if (!this.#isHeld(kept.record)) await this.#takeOver(kept);
    }
  }

  #isHeld({ id, holder }: DeletionRecord): boolean {
    if (this.#running.has(id)) return true;
    return holder !== undefined && holder.process !== this.#process && holder.until > this.#options.clock.wall();
  }

  async #takeOver(kept: Kept): Promise<void> {
    const held = await this.#records.replace(kept, { ...kept.record, holder: this.#hold() });
    if (held !== undefined) this.#run(this.#carryOut(held));
  }

  async #carryOut(from: Kept): Promise<void> {
    const { id } = from.record;
    this.#running.add(id);
    try {
      const users = await this.#records.users(id);
      // Another process took over, as this one was too slow: what both store is taken once.
      for (let kept: Kept | undefined = from; kept !== undefined && !this.#isStopped; ) {
        const next: DeletionRecord = await this.#next(kept.record, users);
        const isBlocked = next === kept.record;
        const holder = isDone(next) || isBlocked || this.#isStopped ? undefined : this.#hold();
        kept = await this.#records.replace(kept, { ...next, holder });
        if (kept !== undefined && isDone(kept.record)) this.#options.onDone(reportOf(kept.record));
        if (kept?.record.holder === undefined) return;
      }
    } finally {
      this.#running.delete(id);
    }
  }

  /** One step further; the same while an audience is being changed. */
  async #next(record: DeletionRecord, users: readonly string[]): Promise<DeletionRecord> {
    if (record.isInAudiences !== true) return { ...record, done: await this.#step(record, users) };
    // Before the notifications, by the times of both.
    const isOut = await this.#options.withdraw(users, record.at - 1);
    return isOut ? { ...record, isInAudiences: undefined } : record;
  }

  /** Stores the next notifications. Returns how many are stored then. */
  async #step(record: DeletionRecord, users: readonly string[]): Promise<number> {
    const { sources, done } = record;
    const end = Math.min(done + STEP, notificationsOf(record));
    const bySource = new Map<string, Incoming[]>(sources.map((source) => [source, []]));
    for (let number = done; number < end; number++) {
      const source = sources[number % sources.length] ?? '';
      const userId = users[Math.floor(number / sources.length)];
      if (userId !== undefined) bySource.get(source)?.push(notificationOf(record, source, userId));
    }
    for (const [source, notifications] of bySource) {
      if (notifications.length > 0) await this.#options.accept(source, notifications);
    }
    return end;
  }

  #hold(): NonNullable<DeletionRecord['holder']> {
    return { process: this.#process, until: this.#options.clock.wall() + HOLD_MS };
  }
}

function notificationOf({ id, at }: DeletionRecord, source: string, userId: string): Incoming {
  const about = createHash('sha256')
    .update(JSON.stringify([id, source, userId]))
    .digest('hex');
  return { type: 'delete', messageId: `delete-${about.slice(0, 40)}`, userId, timestamp: new Date(at).toISOString() };
}
