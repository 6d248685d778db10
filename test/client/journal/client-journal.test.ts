import { expect, test } from 'vitest';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import { ClientJournal } from '../../../src/client/journal/client-journal.js';
import type { Journal } from '../../../src/client/journal/journal.js';
import type { JournalDependencies } from '../../../src/client/journal/journal-dependencies.js';
import type { ResolvedJournalOptions } from '../../../src/client/journal/journal-options.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { StatsCounter } from '../../../src/client/queue/stats.js';
import { FakeClock } from '../../support/fake-clock.js';

const damaged = new JournalError('EVENTFERRY_JOURNAL_DAMAGED', '/j', 'it cannot be read');

const newBatch = () => new Batch('00000000-0000-4000-8000-000000000000', { maxBytes: 100_000, maxMessages: 100 });

/** Makes a client's journal and records what the journal on disk gets. `stored` is what that journal reads back. */
function journal(stored: (Buffer | undefined)[] = []) {
  const counter = new StatsCounter();
  const told: string[] = [];
  let dependencies!: JournalDependencies;
  let found = 0;
  const opened = new ClientJournal(
    (_, given) => {
      dependencies = given;
      return { read: async () => stored, tellDamage: () => damaged, hasMore: false } as unknown as Journal;
    },
    {} as ResolvedJournalOptions,
    {
      writeKey: 'key',
      clock: new FakeClock(),
      counter,
      newBatch,
      reporter: {
        log: {
          hasReader: false,
          debug: (line) => told.push(`debug: ${line}`),
          error: (line) => told.push(`error: ${line}`),
        },
        events: {
          emit: (_, { kind }, onUnheard) => {
            told.push(kind);
            onUnheard();
          },
        },
        forgotten: (messages) => told.push(`forgotten: ${messages}`),
        warnProcess: (text, code) => told.push(`warning: ${text} [${code}]`),
      },
      onEarlier: () => found++,
      forget: async () => ({ waiting: 0, dead: 0, sent: 0 }),
    },
  );
  return { opened, dependencies, counter, told, found: () => found };
}

const jsonOf = (event: string) => Buffer.from(JSON.stringify({ event }));

/** Returns a batch that is no longer in memory. */
function leftBatch(events: readonly string[]) {
  const batch = newBatch();
  for (const event of events) batch.addBytes(jsonOf(event));
  batch.unload();
  return batch;
}

const lost = 'it cannot be read (3 messages, EVENTFERRY_JOURNAL_DAMAGED)';
const failing = 'what is accepted now is not stored: it cannot be read (EVENTFERRY_JOURNAL_DAMAGED)';

test.each([
  [{ kind: 'failing', error: damaged }, [`error: ${failing}`, `warning: ${failing} [EVENTFERRY_JOURNAL_DAMAGED]`]],
  [{ kind: 'storing' }, ['debug: what is accepted is stored again']],
  [{ kind: 'recovered', messages: 1 }, ['debug: 1 message of earlier processes recovered from the journal']],
  [{ kind: 'dropped', messages: 2 }, ['debug: 2 messages dropped from the dead letters, the oldest']],
  [
    { kind: 'damaged', messages: 3, error: damaged },
    [`error: ${lost}`, `warning: ${lost} [EVENTFERRY_JOURNAL_DAMAGED]`],
  ],
] as const)(
  'the event $kind of a journal goes to listeners and the log, and an error also becomes a process warning',
  (event, lines) => {
    const { dependencies, told } = journal();
    dependencies.onEvent(event);
    expect(told.toSorted()).toEqual([event.kind, ...lines].toSorted());
  },
);

test('messages of earlier processes are counted as pending on the disk, and the client starts to send them', () => {
  const { opened, dependencies, counter, found } = journal();
  dependencies.onRecovered(3, 30);
  expect([counter.recovered, counter.pendingMessages, opened.disk.earlierBytes, found()]).toEqual([3, 3, 30, 1]);
  dependencies.onUnreadable(1, 10, 'EVENTFERRY_JOURNAL_DAMAGED');
  expect([counter.lost, counter.pendingMessages, opened.disk.earlierBytes]).toEqual([1, 2, 20]);
});

test('an error of the journal is an instance of the JournalError of the client', () => {
  expect(journal().dependencies.newError('EVENTFERRY_JOURNAL_FAILED', '/j', 'so')).toBeInstanceOf(JournalError);
});

test('a batch that left the memory is read back completely', async () => {
  const { opened } = journal([jsonOf('A'), jsonOf('B')]);
  const batch = leftBatch(['A', 'B']);
  await expect(opened.load(batch)).resolves.toBeUndefined();
  expect([batch.message(0), batch.message(1)]).toEqual([{ event: 'A' }, { event: 'B' }]);
});

test('messages of a batch that cannot be read back from disk are listed, except those that were dropped before', async () => {
  const { opened, counter } = journal([jsonOf('A'), undefined, undefined, jsonOf('D')]);
  const batch = leftBatch(['A', 'B', 'C', 'D']);
  const bytes = batch.bytesOf(0, 4);
  batch.drop(1, damaged);
  counter.pendingBytes = batch.bytesOf(0, 4);
  await expect(opened.load(batch)).resolves.toEqual({ indexes: [2], error: damaged });
  expect([batch.message(0), batch.message(3)]).toEqual([{ event: 'A' }, { event: 'D' }]);
  expect(counter.pendingBytes).toBe(batch.bytesOf(0, 4));
  expect(counter.pendingBytes).toBeLessThan(bytes);
});
