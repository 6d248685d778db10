import { expect, test } from 'vitest';
import { JournalError } from '../../../src/base/errors/journal-errors.js';
import { Problems } from '../../../src/client/journal/system-errors.js';
import { RETRY_MS, WriteLoop } from '../../../src/client/journal/write-loop.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

function loop(isFull = false) {
  const clock = new FakeClock();
  const told: string[] = [];
  const disk = { isFull };
  const problems = new Problems((code, path, message) => new JournalError(code, path, message), '/journal');
  const write = (): void => {
    told.push('write');
    if (disk.isFull) throw new Error('no room');
  };
  const parts = { clock, problems, onEvent: ({ kind }: { kind: string }) => told.push(kind) };
  const writes = new WriteLoop(parts, write, () => told.push('written'));
  return { clock, told, disk, writes };
}

test('all changes in one turn of the event loop are written once, at its end', async () => {
  const { told, writes } = loop();
  for (let change = 0; change < 3; change++) writes.queue();
  expect(told).toEqual([]);
  await settled();
  expect(told).toEqual(['write', 'written']);
});

test('calls that await each other in one turn are written together', async () => {
  const { told, writes } = loop();
  for (let change = 0; change < 3; change++) {
    writes.queue();
    await Promise.resolve();
  }
  expect(told).toEqual([]);
  await settled();
  expect(told).toEqual(['write', 'written']);
});

test('a change that can wait is written two turns later, or with the next one that cannot', async () => {
  const { told, writes } = loop();
  writes.queueLater();
  await new Promise(setImmediate);
  expect(told).toEqual([]);
  await new Promise(setImmediate);
  await settled();
  expect(told.splice(0)).toEqual(['write', 'written']);
  writes.queueLater();
  writes.queue();
  await settled();
  expect(told).toEqual(['write', 'written']);
});

test('an immediate write replaces the queued one', async () => {
  const { told, writes } = loop();
  writes.queue();
  writes.write();
  expect(told).toEqual(['write', 'written']);
  await settled();
  expect(told).toEqual(['write', 'written']);
});

test('a failing journal reports it once, retries a second after each failure, and reports when it can write again', async () => {
  const { clock, told, disk, writes } = loop(true);
  writes.write();
  expect([told, writes.isFailing]).toEqual([['write', 'failing'], true]);
  writes.queue();
  writes.write();
  await settled();
  clock.advance(RETRY_MS - 1);
  expect(told).toHaveLength(2);
  clock.advance(1);
  expect(told.splice(0)).toEqual(['write', 'failing', 'write']);
  disk.isFull = false;
  clock.advance(RETRY_MS);
  expect([told, writes.isFailing]).toEqual([['write', 'storing', 'written'], false]);
  clock.advance(RETRY_MS);
  expect(told).toHaveLength(3);
});

test('a failed flush is reported, and a second after the last failure everything is written again', () => {
  const { clock, told, writes } = loop();
  writes.write();
  writes.fail(new Error('no flush'));
  clock.advance(RETRY_MS / 2);
  writes.fail(new Error('no flush'));
  clock.advance(RETRY_MS / 2);
  expect(told).toEqual(['write', 'written', 'failing']);
  clock.advance(RETRY_MS / 2);
  expect(told.slice(3)).toEqual(['write', 'storing', 'written']);
});

test('writeNow writes at once, even after a failure', () => {
  const { clock, told, disk, writes } = loop(true);
  writes.write();
  disk.isFull = false;
  writes.writeNow();
  expect(told.slice(2)).toEqual(['write', 'storing', 'written']);
  clock.advance(RETRY_MS);
  expect(told).toHaveLength(5);
});

test('a closed journal writes nothing more, even if a write is queued or a retry is due', async () => {
  const { clock, told, writes } = loop(true);
  writes.write();
  writes.close();
  writes.queue();
  writes.write();
  writes.writeNow();
  writes.fail(new Error('no flush'));
  clock.advance(RETRY_MS);
  await settled();
  expect([told, writes.isClosed]).toEqual([['write', 'failing'], true]);
  const queued = loop();
  queued.writes.queue();
  queued.writes.close();
  await settled();
  expect(queued.told).toEqual([]);
});
