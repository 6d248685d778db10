import * as fs from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ForgottenError } from '../../../src/base/errors/errors.js';
import { LeftBatches } from '../../../src/client/journal/left-batches.js';
import { OwnBatches } from '../../../src/client/journal/own-batches.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { inMemory, temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal, smallDisk } from './faulty-disk.js';

const ID = '00000000-0000-4000-8000-000000000000';
const at = (path: string, root = path) => ({ path, root, firstNumber: 1, isRemoved: false });

const newBatch = (): Batch => new Batch(ID, { maxBytes: 500_000, maxMessages: 10_000 });

function add(log: OwnBatches, batch: Batch, ...numbers: number[]): void {
  for (const n of numbers) {
    batch.add(JSON.stringify({ n, pad: 'x'.repeat(300) }));
    log.noteAdded(batch);
  }
}

/** Returns the numbers that the next process finds in a folder, with undefined for messages that cannot be read. */
async function left(folder: string): Promise<(number | undefined)[]> {
  const found: (number | undefined)[] = [];
  for await (const { json } of LeftBatches.peek(fs, folder)) found.push(json && JSON.parse(String(json)).n);
  return found;
}

/** A client that writes to a small disk, and whose messages end in order. */
class Writer {
  readonly folder = temporaryFolder(inMemory());
  readonly room = { bytes: 100_000 };
  readonly log = new OwnBatches(smallDisk(this.room), at(this.folder), false);
  readonly #batches: { readonly batch: Batch; readonly first: number }[] = [];
  next = 0;
  stored = 0;
  ended = 0;

  add(messages: number): void {
    for (let more = 0; more < messages; more++) {
      if (this.next % 10 === 0) this.#batches.push({ batch: newBatch(), first: this.next });
      add(this.log, this.#batches.at(-1)?.batch ?? newBatch(), this.next++);
    }
  }

  write(): void {
    try {
      this.log.write();
      this.stored = this.next;
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  }

  /** Ends up to this number of further stored messages whose batches are full. */
  end(messages: number): void {
    const to = Math.min(this.stored, this.ended + messages, this.#batches.at(-1)?.first ?? 0);
    for (const { batch, first } of this.#batches) {
      const [from, upTo] = [batch.results.ended, Math.min(batch.count, to - first)];
      if (upTo <= from) continue;
      batch.results.endUpTo(upTo);
      this.log.noteEnded(batch, from, upTo);
    }
    this.ended = Math.max(this.ended, to);
  }
}

test('the next process finds all messages that a disk of changing size stored, each once and in order', async () => {
  const step = fc.record({ messages: fc.integer({ min: 1, max: 60 }), room: fc.nat(40_000), ends: fc.nat(40) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const writer = new Writer();
      for (const { messages, room, ends } of steps) {
        writer.add(messages);
        writer.write();
        writer.end(ends);
        writer.room.bytes = room;
      }
      writer.log.close();
      const found = await left(writer.folder);
      const first = found[0] ?? writer.stored;
      // Messages that ended since the last write, or that the disk refused, may be found, but none is missing or found twice.
      expect(first).toBeLessThanOrEqual(Math.max(writer.ended, writer.stored));
      expect(found).toEqual(found.map((_, index) => first + index));
      expect(first + found.length).toBeGreaterThanOrEqual(writer.stored);
      fs.rmSync(writer.folder, { recursive: true });
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 40), endOnFailure: true },
  );
}, 300_000);

test('the rest of a write that a full disk cut off is removed from the file before anything else is written', async () => {
  const folder = temporaryFolder();
  let [isFull, refusesToCut] = [false, true];
  const disk = faultyDisk((name, args) => {
    if (name === 'ftruncateSync' && refusesToCut) return refusal('EIO');
    if (!isFull || name !== 'writeSync') return undefined;
    fs.writeSync(args[0] as number, args[1] as Buffer, 0, 100, args[4] as number);
    return refusal('ENOSPC');
  });
  const log = new OwnBatches(disk, at(folder), false);
  const batch = newBatch();
  add(log, batch, 0, 1);
  log.write();
  add(log, batch, 2, 3);
  isFull = true;
  expect(() => log.write()).toThrow('ENOSPC');
  // A kill at this moment leaves only the stored messages.
  expect(await left(folder)).toEqual([0, 1]);
  isFull = false;
  expect(() => log.write()).toThrow('EIO');
  refusesToCut = false;
  add(log, batch, 4);
  log.write();
  expect(await left(folder)).toEqual([0, 1, 2, 3, 4]);
  expect((await log.read(batch)).map((json) => JSON.parse(String(json)).n)).toEqual([0, 1, 2, 3, 4]);
  log.close();
});

test('failed writes to a full disk do not pile up empty files', () => {
  const folder = temporaryFolder();
  const room = { bytes: 10_000 };
  const log = new OwnBatches(smallDisk(room), at(folder), false);
  const batch = newBatch();
  add(log, batch, ...Array(100).keys());
  for (let tries = 0; tries < 20; tries++) {
    room.bytes = Math.min(room.bytes, 40);
    expect(() => log.write()).toThrow('ENOSPC');
  }
  expect(fs.readdirSync(folder).length).toBeLessThanOrEqual(1);
  log.close();
});

test('after a failed flush, the next one first writes again everything that was not flushed', async () => {
  const folder = temporaryFolder();
  const calls: string[] = [];
  let fails = 0;
  const numberOf = (handle: unknown): number => {
    const { ino } = fs.fstatSync(handle as number);
    return [1, 2].find((number) => fs.statSync(`${folder}/00000${number}.batch`).ino === ino) ?? 0;
  };
  const disk = faultyDisk((name, [handle, , , length, position]) => {
    if (name === 'writeSync') calls.push(`write ${numberOf(handle)} ${position} ${length}`);
    if (name !== 'fdatasync') return undefined;
    calls.push(`flush ${numberOf(handle)}`);
    return fails-- > 0 ? refusal('EIO') : undefined;
  });
  const log = new OwnBatches(disk, at(folder), true);
  const [first, second] = [newBatch(), newBatch()];
  add(log, first, 0);
  log.write();
  await log.flush();
  add(log, first, 1, 2);
  add(log, second, 3);
  log.write();
  const sizes = [1, 2].map((number) => fs.statSync(`${folder}/00000${number}.batch`).size);
  // The first batch stays in memory, and the second is only on disk.
  second.unload();
  fails = 1;
  await expect(log.flush()).rejects.toThrow('EIO');
  calls.length = 0;
  await log.flush();
  expect(calls).toEqual([`write 1 0 ${sizes[0]}`, 'flush 1', `write 2 0 ${sizes[1]}`, 'flush 2']);
  expect(await left(folder)).toEqual([0, 1, 2, 3]);
  log.close();
});

test('a message that ended before a failed flush does not come back with the next flush', async () => {
  const folder = temporaryFolder();
  let fails = 0;
  const disk = faultyDisk((name) => (name === 'fdatasync' && fails-- > 0 ? refusal('EIO') : undefined));
  const log = new OwnBatches(disk, at(folder), true);
  const batch = newBatch();
  add(log, batch, 0, 1);
  log.write();
  batch.results.endUpTo(1);
  log.noteEnded(batch, 0, 1);
  await log.erase(true);
  fails = 1;
  await expect(log.flush()).rejects.toThrow('EIO');
  await log.flush();
  add(log, batch, 2);
  log.write();
  expect(await left(folder)).toEqual([1, 2]);
  log.close();
});

test('after a failed flush, flushes keep failing until everything that was not flushed is written again', async () => {
  const folder = temporaryFolder();
  let [fails, isFull] = [0, false];
  const disk = faultyDisk((name) => {
    if (name === 'fdatasync' && fails-- > 0) return refusal('EIO');
    return name === 'writeSync' && isFull ? refusal('ENOSPC') : undefined;
  });
  const log = new OwnBatches(disk, at(folder), true);
  const batch = newBatch();
  add(log, batch, 0, 1);
  log.write();
  [fails, isFull] = [1, true];
  await expect(log.flush()).rejects.toThrow('EIO');
  await expect(log.flush()).rejects.toThrow('ENOSPC');
  add(log, batch, 2);
  expect(() => log.write()).toThrow('ENOSPC');
  isFull = false;
  log.write();
  await log.flush();
  expect(await left(folder)).toEqual([0, 1, 2]);
  log.close();
});

test('after a failed flush, a batch with notes is written again without the messages that have ended', async () => {
  const folder = temporaryFolder();
  let fails = 0;
  const disk = faultyDisk((name) => (name === 'fdatasync' && fails-- > 0 ? refusal('EIO') : undefined));
  const log = new OwnBatches(disk, at(folder), true);
  const batch = newBatch();
  for (const n of [0, 1, 2]) {
    add(log, batch, n);
    log.write();
    batch.results.endUpTo(n);
    log.noteEnded(batch, Math.max(0, n - 1), n);
    log.write();
  }
  fails = 1;
  await expect(log.flush()).rejects.toThrow('EIO');
  await log.flush();
  log.write();
  add(log, batch, 3);
  log.write();
  expect(fs.readdirSync(folder)).toHaveLength(1);
  expect(await left(folder)).toEqual([2, 3]);
  log.close();
});

/** A batch of three messages, each written after the note that the one before it has ended. The next flush fails. */
async function notedBatch(disk: typeof fs, folder: string, fails: { flushes: number }) {
  const log = new OwnBatches(disk, at(folder), true);
  const batch = newBatch();
  for (const n of [0, 1, 2, 3]) {
    add(log, batch, n);
    log.write();
    batch.results.endUpTo(Math.min(n, 2));
    log.noteEnded(batch, Math.max(0, n - 1), Math.min(n, 2));
    log.write();
    await log.flush();
  }
  add(log, batch, 4);
  log.write();
  fails.flushes = 1;
  await expect(log.flush()).rejects.toThrow('EIO');
  return log;
}

test('after a failed flush, the next client does not send messages again that were delivered before it', async () => {
  const folder = temporaryFolder();
  const fails = { flushes: 0 };
  const disk = faultyDisk((name) => (name === 'fdatasync' && fails.flushes-- > 0 ? refusal('EIO') : undefined));
  const log = await notedBatch(disk, folder, fails);
  await log.flush();
  log.close();
  expect(await left(folder)).toEqual([2, 3, 4]);
});

test('after a failed flush, a write that is cut off anywhere damages no message that was stored', async () => {
  for (let most = 0, isDone = false; !isDone; most += 61) {
    const folder = temporaryFolder();
    const fails = { flushes: 0 };
    let isCutting = false;
    const disk = faultyDisk((name, [handle, bytes, from, length, position]) => {
      if (name === 'fdatasync') return fails.flushes-- > 0 ? refusal('EIO') : undefined;
      if (name !== 'writeSync' || !isCutting) return undefined;
      fs.writeSync(
        handle as number,
        bytes as Buffer,
        from as number,
        Math.min(most, length as number),
        position as number,
      );
      isDone = most >= (length as number);
      return refusal('EIO');
    });
    const log = await notedBatch(disk, folder, fails);
    isCutting = true;
    await expect(log.flush()).rejects.toThrow('EIO');
    log.close();
    expect(await left(folder), `cut off after ${most} bytes`).toEqual([2, 3, 4]);
  }
});

test('messages that ended before they could be written leave no text on the disk', async () => {
  const folder = temporaryFolder();
  const log = new OwnBatches(fs, at(folder), false);
  const batch = newBatch();
  add(log, batch, 100);
  log.write();
  add(log, batch, 200, 300);
  batch.results.endUpTo(2);
  log.noteEnded(batch, 0, 2);
  log.write();
  expect(fs.readFileSync(`${folder}/000001.batch`, 'latin1')).not.toContain('"n":200');
  expect(await left(folder)).toEqual([300]);
  log.close();
});

test('new folders are flushed, up to the one that existed before', async () => {
  const folder = temporaryFolder();
  const opened: string[] = [];
  const disk = faultyDisk((name, [path]) => {
    if (name === 'open') opened.push(String(path));
    return undefined;
  });
  const own = `${folder}/a/b`;
  fs.mkdirSync(own, { recursive: true });
  const log = new OwnBatches(disk, at(own, folder), true);
  add(log, newBatch(), 0);
  log.write();
  await log.flush();
  expect(opened).toEqual([own, `${folder}/a`, folder]);
  log.close();
});

test('the folder is flushed again for a file that begins while it is flushed, and after a failed flush', async () => {
  const folder = temporaryFolder();
  let flushed = 0;
  let during = (): Error | undefined => undefined;
  const disk = faultyDisk((name) => {
    if (name !== 'open') return undefined;
    flushed++;
    return during();
  });
  const log = new OwnBatches(disk, at(folder), true);
  const write = (n: number): void => {
    add(log, newBatch(), n);
    log.write();
  };
  write(0);
  during = () => {
    during = () => undefined;
    write(1);
    return undefined;
  };
  await log.flush();
  await log.flush();
  expect(flushed).toBe(2);
  await log.flush();
  expect(flushed).toBe(2);
  during = () => refusal('EIO');
  write(2);
  await expect(log.flush()).rejects.toThrow('EIO');
  during = () => undefined;
  await log.flush();
  expect(flushed).toBe(4);
  log.close();
});

test('the file of a batch is removed when all its messages have ended, and other ended messages are noted', async () => {
  const folder = temporaryFolder();
  const log = new OwnBatches(fs, at(folder), false);
  const [first, second] = [newBatch(), newBatch()];
  add(log, first, 0, 1);
  add(log, second, 2, 3, 4);
  log.write();
  for (const [batch, to] of [
    [first, 2],
    [second, 1],
  ] as const) {
    batch.results.endUpTo(to);
    log.noteEnded(batch, 0, to);
  }
  log.write();
  expect(fs.readdirSync(folder)).toEqual(['000002.batch']);
  expect(await left(folder)).toEqual([3, 4]);
  log.close();
});

test('a note that a full disk refuses is written first later, and until then its messages stay readable', async () => {
  const folder = temporaryFolder();
  const room = { bytes: 10_000 };
  const log = new OwnBatches(smallDisk(room), at(folder), false);
  const [first, second] = [newBatch(), newBatch()];
  add(log, first, 0, 1);
  log.write();
  first.results.endUpTo(1);
  log.noteEnded(first, 0, 1);
  add(log, second, 2);
  room.bytes = 5;
  expect(() => log.write()).toThrow('ENOSPC');
  expect(await left(folder)).toEqual([0, 1]);
  room.bytes = 10_000;
  log.write();
  expect(await left(folder)).toEqual([1, 2]);
  log.close();
});

test('a dropped message is erased from its file without room on the disk, and the rest of the batch stays readable', async () => {
  const folder = temporaryFolder();
  const room = { bytes: 10_000 };
  const log = new OwnBatches(smallDisk(room), at(folder), false);
  const batch = newBatch();
  add(log, batch, 100, 200, 300);
  log.write();
  log.noteDropped(batch, 1, batch.drop(1, new ForgottenError()));
  room.bytes = 0;
  await log.erase(true);
  expect(fs.readFileSync(`${folder}/000001.batch`, 'latin1')).not.toContain('200');
  expect(await left(folder)).toEqual([100, 300]);
  expect((await log.read(batch)).map((json) => json && JSON.parse(String(json)).n)).toEqual([100, undefined, 300]);
  log.close();
});

test('a message that is dropped before it is written is never written', async () => {
  const folder = temporaryFolder();
  const log = new OwnBatches(fs, at(folder), false);
  const batch = newBatch();
  add(log, batch, 100, 200);
  log.noteDropped(batch, 0, batch.drop(0, new ForgottenError()));
  log.write();
  expect(fs.readFileSync(`${folder}/000001.batch`, 'latin1')).not.toContain('"n":100');
  expect(await left(folder)).toEqual([200]);
  log.close();
});
