import { expect, test } from 'vitest';
import { DiskBacklog } from '../../../src/client/queue/disk-backlog.js';
import { settled } from '../../support/fake-clock.js';
import { journalOf } from './batch-journal.js';
import { batchOf } from './collector.js';

test('a batch that is unloaded counts as on disk until it is taken to be sent', () => {
  const backlog = new DiskBacklog(journalOf());
  const batch = batchOf(10);
  expect(backlog.unload(batch)).toBe(true);
  expect([batch.isLoaded, backlog.bytes]).toEqual([false, 10]);
  backlog.noteTaken(batch);
  expect(backlog.bytes).toBe(0);
});

test('a message that is dropped while its batch is read back from the disk does not count twice', () => {
  const backlog = new DiskBacklog(journalOf());
  const batch = batchOf(10);
  backlog.unload(batch);
  backlog.noteTaken(batch);
  backlog.noteDropped(batch, 0, 10);
  expect(backlog.bytes).toBe(0);
});

test('a batch that the journal cannot read back stays in memory', () => {
  const backlog = new DiskBacklog(journalOf([], { mayUnload: false }));
  const batch = batchOf(10);
  expect(backlog.unload(batch)).toBe(false);
  expect([batch.isLoaded, backlog.bytes]).toEqual([true, 0]);
});

test('taking a batch that was never unloaded does not change the bytes on disk', () => {
  const backlog = new DiskBacklog(journalOf());
  backlog.noteTaken(batchOf(10));
  expect(backlog.bytes).toBe(0);
});

test.each([
  ['ASCII that fits', 'x'.repeat(10), true],
  ['ASCII that does not fit', 'x'.repeat(11), false],
  ['multi-byte characters that do not fit', '€'.repeat(4), false],
])('hasRoomFor counts the bytes of a message: %s', (_, json, hasRoom) => {
  expect(new DiskBacklog(journalOf([], { room: 10 })).hasRoomFor(json)).toBe(hasRoom);
});

test('messages of earlier processes count as on disk from when they are found until they are read', async () => {
  const backlog = new DiskBacklog(journalOf([batchOf(4)]));
  backlog.earlierBytes += 4;
  expect(backlog.bytes).toBe(4);
  await backlog.sendEarlier(async () => {});
  expect(backlog.bytes).toBe(0);
});

test('a wait for messages of earlier processes ends when the last request with some of them has ended', async () => {
  const backlog = new DiskBacklog(journalOf([batchOf(1), batchOf(1)]));
  const ends: (() => void)[] = [];
  const sending = [1, 2].map(() => backlog.sendEarlier(() => new Promise((resolve) => ends.push(resolve))));
  await settled();
  let isOver = false;
  const waiting = backlog.earlierSent()?.then(() => {
    isOver = true;
  });
  ends[0]?.();
  await sending[0];
  expect(isOver).toBe(false);
  ends[1]?.();
  await waiting;
  expect(isOver).toBe(true);
  expect(backlog.earlierSent()).toBeUndefined();
});

test('a wait for messages of earlier processes ends when the client gives up', async () => {
  const backlog = new DiskBacklog(journalOf([batchOf(1)]));
  const waiting = backlog.earlierSent();
  backlog.release();
  await expect(waiting).resolves.toBeUndefined();
});

test('a batch that is being sent counts as taken until all of it has ended', () => {
  const backlog = new DiskBacklog(journalOf());
  const batch = batchOf(10);
  backlog.noteTaken(batch);
  expect(backlog.takenBytes).toBe(10);
  batch.results.endUpTo(batch.count);
  backlog.noteEnded(batch, 0, batch.count, undefined);
  expect(backlog.takenBytes).toBe(0);
});
