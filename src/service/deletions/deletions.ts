import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../../destination/clock.js';
import type { Incoming } from '../ingest/ingest.js';
import { repeat } from '../repeat.js';
import { entriesOf } from '../storage/entries.js';
import type { Shelf } from '../storage/shelf.js';
import {
  DELETIONS,
  type DeletionRecord,
  type DeletionReport,
  deletionKey,
  isDone,
  notificationsOf,
  reportOf,
  usersKey,
} from './record.js';

export interface DeletionsOptions {
  readonly shelf: Shelf;
  readonly clock: Clock;
  /** The sources from which a user has gone to an enabled destination. */
  affectedSources(): readonly string[];
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

/** How long it is known that a deletion was done, in ms. */
const KEEP_MS = 365 * 24 * 60 * 60_000;

/**
 * Sends `delete` notifications for users. What is asked for is on the shelf, users and all, before the call is answered; a
 * process that ends half way is followed by any other, or by itself when it comes back. The ids of the notifications follow
 * from what they are about, so that a step done twice is taken once.
 */
export class Deletions {
  readonly #options: DeletionsOptions;
  readonly #process = randomUUID();
  readonly #running = new Set<string>();
  readonly #busy = new Set<Promise<void>>();
  #stopLooking: (() => void) | undefined;
  #isStopped = false;

  constructor(options: DeletionsOptions) {
    this.#options = options;
  }

  /** Goes on with what a process left undone, now and whenever there is such a thing. */
  start(): void {
    const { clock, onError } = this.#options;
    this.#run(this.#look());
    this.#stopLooking ??= repeat({ clock, everyMs: LOOK_MS, act: () => this.#look(), onError });
  }

  /** Once it resolves the users will be deleted, whatever happens to this process. */
  async request(userIds: readonly string[], sources?: readonly string[]): Promise<DeletionReport> {
    const { shelf, clock, affectedSources } = this.#options;
    const now = clock.wall();
    const affected = affectedSources().filter((source) => sources?.includes(source) ?? true);
    const users = [...new Set(userIds)];
    const id = `${now.toString(36).padStart(9, '0')}-${randomUUID().slice(0, 13)}`;
    const record: DeletionRecord = {
      id,
      at: now,
      users: users.length,
      sources: affected,
      done: 0,
      holder: this.#hold(),
    };
    const isAtEnd = isDone(record);
    const kept = isAtEnd ? { ...record, holder: undefined } : record;
    await shelf.write([
      { key: deletionKey(id), value: JSON.stringify(kept) },
      { key: usersKey(id), value: isAtEnd ? undefined : JSON.stringify(users) },
    ]);
    if (!isAtEnd) this.#run(this.#carryOut(record, JSON.stringify(record)));
    return reportOf(kept);
  }

  async get(id: string): Promise<DeletionReport | undefined> {
    const [value] = await this.#options.shelf.get([deletionKey(id)]);
    return value === undefined ? undefined : reportOf(parse(value));
  }

  /** The newest first, up to so many. */
  async list(limit: number): Promise<DeletionReport[]> {
    const reports: DeletionReport[] = [];
    for await (const { value } of entriesOf(this.#options.shelf, DELETIONS)) reports.push(reportOf(parse(value)));
    // Their ids begin with the time, so the shelf has them in order.
    return reports.reverse().slice(0, limit);
  }

  /** Ends after the step that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopLooking?.();
    await Promise.all(this.#busy);
  }

  #run(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => this.#options.onError(error))
      .then(() => void this.#busy.delete(ended));
    this.#busy.add(ended);
  }

  async #look(): Promise<void> {
    const now = this.#options.clock.wall();
    for await (const { key, value } of entriesOf(this.#options.shelf, DELETIONS)) {
      const record = parse(value);
      if (record.at < now - KEEP_MS && isDone(record)) await this.#options.shelf.write([{ key, value: undefined }]);
      if (!isDone(record) && !this.#isHeld(record)) await this.#takeOver(record, value);
    }
  }

  #isHeld({ id, holder }: DeletionRecord): boolean {
    if (this.#running.has(id)) return true;
    return holder !== undefined && holder.process !== this.#process && holder.until > this.#options.clock.wall();
  }

  async #takeOver(record: DeletionRecord, value: string): Promise<void> {
    const held = { ...record, holder: this.#hold() };
    const text = JSON.stringify(held);
    const isOurs = await this.#swap(record.id, value, text);
    if (isOurs) this.#run(this.#carryOut(held, text));
  }

  async #carryOut(from: DeletionRecord, fromText: string): Promise<void> {
    const { shelf, onDone } = this.#options;
    let [record, text] = [from, fromText];
    this.#running.add(record.id);
    try {
      const [value] = await shelf.get([usersKey(record.id)]);
      const users: readonly string[] = value === undefined ? [] : JSON.parse(value);
      while (!isDone(record) && !this.#isStopped) {
        const done = await this.#step(record, users);
        const next: DeletionRecord = { ...record, done, holder: this.#hold() };
        const kept = isDone(next) || this.#isStopped ? { ...next, holder: undefined } : next;
        const nextText = JSON.stringify(kept);
        // Another process took over, as this one was too slow: what both store is taken once.
        if (!(await this.#swap(record.id, text, nextText, isDone(next)))) return;
        [record, text] = [kept, nextText];
      }
      if (isDone(record)) onDone(reportOf(record));
    } finally {
      this.#running.delete(record.id);
    }
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

  #swap(id: string, before: string, after: string, isAtEnd = false): Promise<boolean> {
    const users = isAtEnd ? [{ key: usersKey(id), value: undefined }] : [];
    const change = { key: deletionKey(id), value: after };
    return this.#options.shelf.writeIf({ key: deletionKey(id), value: before }, [change, ...users]);
  }

  #hold(): NonNullable<DeletionRecord['holder']> {
    return { process: this.#process, until: this.#options.clock.wall() + HOLD_MS };
  }
}

// Only this file writes such values.
const parse = (value: string): DeletionRecord => JSON.parse(value);

function notificationOf({ id, at }: DeletionRecord, source: string, userId: string): Incoming {
  const about = createHash('sha256')
    .update(JSON.stringify([id, source, userId]))
    .digest('hex');
  return { type: 'delete', messageId: `delete-${about.slice(0, 40)}`, userId, timestamp: new Date(at).toISOString() };
}
