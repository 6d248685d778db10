import * as fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import { Journal } from '../../../src/client/journal/journal.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { FakeClock } from '../../support/fake-clock.js';
import { inMemory, temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from '../journal/faulty-disk.js';

const LIMITS = { maxBytes: 500_000, maxMessages: 4 };
const newBatch = (): Batch => new Batch('00000000-0000-4000-8000-000000000000', LIMITS);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The system calls that a client's disk may refuse. */
const CALLS = {
  write: ['writeSync', 'ENOSPC'],
  flush: ['fdatasync', 'EIO'],
  open: ['openSync', 'EMFILE'],
  openToRead: ['open', 'EMFILE'],
  read: ['readFileSync', 'EMFILE'],
  unlink: ['unlinkSync', 'EIO'],
  rename: ['renameSync', 'EIO'],
  list: ['readdirSync', 'EMFILE'],
} as const;

/** The expected state of the messages, independent of clients. */
class Books {
  next = 0;
  readonly stored = new Set<number>();
  readonly delivered = new Set<number>();
  /** Messages delivered by a client whose disk never failed and which was closed. They are not delivered again. */
  readonly settled = new Set<number>();
  /** The living client that has accepted each message. */
  readonly owners = new Map<number, Life>();
  reported = 0;
}

/** A client's journal, from its opening to its end. */
class Life {
  readonly clock = new FakeClock();
  readonly books: Books;
  readonly path: string;
  readonly journal: Journal;
  readonly own: Batch[] = [];
  isOver = false;
  /** The calls that its disk refuses, and how often. */
  fault: { call: keyof typeof CALLS; times: number } | undefined;
  /** The number of calls after which its process is killed. */
  callsLeft = Number.POSITIVE_INFINITY;
  #folder = '';
  readonly #delivered: number[] = [];
  #hasFailed = false;

  constructor(path: string, durability: 'process' | 'machine', books: Books) {
    this.books = books;
    this.path = path;
    const before = new Set(listed(path));
    const disk = faultyDisk((name) => this.#refusal(name));
    this.journal = Journal.open(
      { path, durability, maxBytes: 1_000_000, adopt: [], maxDeadLetters: 100, maxDeadLetterAge: 1e9 },
      {
        clock: this.clock,
        writeKey: 'key',
        newBatch,
        onRecovered: () => {},
        onUnreadable: (messages) => (books.reported += messages),
        onEvent: () => {},
        forget: async () => ({ waiting: 0, dead: 0, sent: 0 }),
        newError: (...args) => new JournalError(...args),
      },
      disk,
    );
    this.#folder = listed(path).find((name) => !before.has(name)) ?? '';
  }

  accept(count: number): void {
    const batch = newBatch();
    for (let index = 0; index < count; index++) {
      const n = this.books.next++;
      batch.add(JSON.stringify({ n }));
      this.journal.noteAdded(batch);
      this.books.owners.set(n, this);
      batch.results.storedOf?.(index).then(
        () => this.isOver || this.books.stored.add(n),
        () => {},
      );
    }
    this.own.push(batch);
  }

  deliverOwn(): void {
    const batch = this.own.shift();
    if (batch !== undefined) this.#deliver(batch);
  }

  async deliverEarlier(): Promise<boolean> {
    const batch = this.journal.hasMore ? await this.#next() : undefined;
    if (batch !== undefined && !this.isOver) this.#deliver(batch);
    return batch !== undefined;
  }

  /** Reads the next batch. If the disk refuses that, the journal tries again after a second. */
  async #next(): Promise<Batch | undefined> {
    let isRead = false;
    const reading = this.journal.next().finally(() => {
      isRead = true;
    });
    while (!isRead) {
      await turn();
      if (this.#hasFailed) this.clock.advance(1_000);
    }
    return reading;
  }

  async close(): Promise<void> {
    await this.journal.close();
    if (!this.#hasFailed) for (const n of this.#delivered) this.books.settled.add(n);
    this.#end();
  }

  /** Simulates a `SIGKILL`: the client does nothing more, and its socket has no owner. */
  kill(): void {
    this.callsLeft = 0;
    for (const name of ['socket', 'source']) fs.rmSync(join(this.path, 'owners', this.#folder, name), { force: true });
    this.#end();
  }

  #end(): void {
    this.isOver = true;
    for (const [n, owner] of this.books.owners) if (owner === this) this.books.owners.delete(n);
  }

  #deliver(batch: Batch): void {
    const to = batch.count;
    for (let index = 0; index < to; index++) {
      const { n } = JSON.parse(String(batch.messages(index, index + 1))) as { n: number };
      const owner = this.books.owners.get(n);
      // No client takes over a message whose owner is still alive.
      expect(owner === undefined || owner === this).toBe(true);
      // A message is sent again only after a kill or a disk failure.
      expect(this.books.settled.has(n)).toBe(false);
      this.books.delivered.add(n);
      this.#delivered.push(n);
    }
    const from = batch.results.ended;
    batch.results.endUpTo(to);
    this.journal.noteEnded(batch, from, to, undefined);
  }

  #refusal(name: string): Error | undefined {
    this.#hasFailed ||= this.fault !== undefined || Number.isFinite(this.callsLeft);
    if (--this.callsLeft < 0) return refusal('EIO');
    if (this.fault === undefined || CALLS[this.fault.call][0] !== name) return undefined;
    if (this.fault.times-- > 0) return refusal(CALLS[this.fault.call][1]);
    this.fault = undefined;
    return undefined;
  }
}

const listed = (path: string): string[] => {
  const owners = join(path, 'owners');
  return fs.existsSync(owners) ? fs.readdirSync(owners).filter((name) => !name.startsWith('.')) : [];
};

const fault = fc.record({
  call: fc.constantFrom(...(Object.keys(CALLS) as (keyof typeof CALLS)[])),
  times: fc.integer({ min: 1, max: 4 }),
});
const who = fc.nat(1);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('accept' as const), who, count: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deliver' as const), who }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), who }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fail' as const), who, fault }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('killInClose' as const), who, calls: fc.nat(40) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function end(life: Life, { kind, calls }: { kind: string; calls?: number }): Promise<void> {
  if (kind === 'killInClose') life.callsLeft = calls ?? 0;
  if (kind !== 'kill') await life.close().catch(() => {});
  if (kind !== 'close') life.kill();
}

async function play(life: Life, step: Step): Promise<void> {
  if (step.kind === 'accept') life.accept(step.count);
  if (step.kind === 'deliver') life.deliverOwn();
  if (step.kind === 'fail') life.fault = { ...step.fault };
  if (step.kind === 'look') {
    life.clock.advance(2_000);
    await life.journal.settled();
    await life.deliverEarlier();
  }
  await turn();
}

const isEnd = ({ kind }: Step): boolean => ['close', 'kill', 'killInClose'].includes(kind);

test('whatever fails, stored messages are delivered or reported, ones that ended are not sent again, and living clients keep theirs', async () => {
  const scenario = fc.tuple(fc.constantFrom('process' as const, 'machine' as const), fc.array(step, { maxLength: 25 }));
  await fc.assert(
    fc.asyncProperty(scenario, async ([durability, steps]) => {
      const path = temporaryFolder(inMemory());
      const books = new Books();
      const lives = [0, 1].map(() => new Life(path, durability, books));
      for (const step of steps) {
        const life = lives[step.who] ?? new Life(path, durability, books);
        if (isEnd(step)) {
          await end(life, step);
          lives[step.who] = new Life(path, durability, books);
        } else await play(life, step);
      }
      for (const life of lives) {
        life.fault = undefined;
        life.clock.advance(1_000);
        await turn();
        await life.close();
      }
      const last = new Life(path, durability, books);
      for (let looks = 0; looks < 3; looks++) {
        await last.journal.settled();
        while (await last.deliverEarlier());
      }
      await last.close();
      const missing = [...books.stored].filter((n) => !books.delivered.has(n));
      expect(missing.length).toBeLessThanOrEqual(books.reported);
      expect(listed(path)).toEqual([]);
      fs.rmSync(path, { recursive: true });
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 30) },
  );
}, 1_800_000);
