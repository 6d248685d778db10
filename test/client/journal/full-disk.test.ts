import * as fs from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OwnLog } from '../../../src/client/journal/own-log.js';
import { RecoveredFolder } from '../../../src/client/journal/recovered-folder.js';
import { HEAD_BYTES } from '../../../src/client/journal/segment-file.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { inMemory, temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal, smallDisk } from './faulty-disk.js';

const ID = '00000000-0000-4000-8000-000000000000';
const FLUSHED = { maxBytes: 1, isFlushed: true };

const newBatch = (): Batch => new Batch(ID, { maxBytes: 500_000, maxMessages: 10_000 });

function add(log: OwnLog, batch: Batch, ...numbers: number[]): void {
  for (const n of numbers) {
    batch.add(JSON.stringify({ n, pad: 'x'.repeat(300) }));
    log.noteAdded(batch);
  }
}

/** What the next process finds in a folder: numbers, or undefined for what cannot be read. */
async function left(folder: string): Promise<(number | undefined)[]> {
  const found: (number | undefined)[] = [];
  for await (const { json } of RecoveredFolder.peek(fs, folder)) found.push(json && JSON.parse(String(json)).n);
  return found;
}

/** A client that writes to a disk, and whose messages end in order. */
class Writer {
  readonly folder = temporaryFolder(inMemory());
  readonly room = { bytes: 100_000 };
  readonly log = new OwnLog(smallDisk(this.room), this.folder, { root: this.folder, maxBytes: 1, isFlushed: false });
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

  /** Ends so many more of the stored messages, if their batch is full. */
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

test('what a disk stored while it filled and emptied at random is all there for the next process, each once and in order', async () => {
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
      // What ended since the last write may be found again, and what was refused may be there: nothing twice, and nothing missing.
      expect(first).toBeLessThanOrEqual(Math.max(writer.ended, writer.stored));
      expect(found).toEqual(found.map((_, index) => first + index));
      expect(first + found.length).toBeGreaterThanOrEqual(writer.stored);
      fs.rmSync(writer.folder, { recursive: true });
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 40), endOnFailure: true },
  );
}, 300_000);

test('a write that was cut off by a full disk is not read, although the part stays and its batch is written elsewhere', async () => {
  const folder = temporaryFolder();
  let isFull = false;
  const disk = faultyDisk((name, args, pass) => {
    if (name === 'ftruncateSync') return refusal('ENOSPC');
    const bytes = args[1];
    if (!isFull || name !== 'writeSync' || !(bytes instanceof Buffer) || args[3] === HEAD_BYTES) return undefined;
    isFull = false;
    pass();
    return refusal('ENOSPC');
  });
  const log = new OwnLog(disk, folder, { root: folder, maxBytes: 1, isFlushed: false });
  const batch = newBatch();
  add(log, batch, 0, 1);
  log.write();
  add(log, batch, 2, 3);
  isFull = true;
  expect(() => log.write()).toThrow('ENOSPC');
  add(log, batch, 4);
  log.write();
  expect(await left(folder)).toEqual([0, 1, 2, 3, 4]);
  expect((await log.read(batch)).map((json) => JSON.parse(String(json)).n)).toEqual([0, 1, 2, 3, 4]);
  log.close();
});

test('a disk that stays full gathers no empty segments', () => {
  const folder = temporaryFolder();
  const room = { bytes: 10_000 };
  const log = new OwnLog(smallDisk(room), folder, { root: folder, maxBytes: 1, isFlushed: false });
  const batch = newBatch();
  add(log, batch, ...Array(100).keys());
  for (let tries = 0; tries < 20; tries++) {
    room.bytes = Math.min(room.bytes, 40);
    expect(() => log.write()).toThrow('ENOSPC');
  }
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('segment-')).length).toBeLessThanOrEqual(1);
  log.close();
});

test('after a flush that failed, the next one writes elsewhere what was not flushed, and flushes that', async () => {
  const folder = temporaryFolder();
  const flushed: number[] = [];
  let fails = 0;
  const disk = faultyDisk((name, [handle]) => {
    if (name !== 'fdatasync') return undefined;
    if (fails-- > 0) return refusal('EIO');
    flushed.push(fs.fstatSync(handle as number).ino);
    return undefined;
  });
  const log = new OwnLog(disk, folder, { ...FLUSHED, root: folder });
  const batch = newBatch();
  add(log, batch, 0);
  log.write();
  await log.flush();
  add(log, batch, 1, 2);
  log.write();
  fails = 1;
  await expect(log.flush()).rejects.toThrow('EIO');
  await log.flush();
  const second = fs.statSync(`${folder}/segment-000002`);
  expect(flushed.at(-1)).toBe(second.ino);
  // The system may have dropped what it could not flush of the first one: the next process does not need it.
  const first = fs.readFileSync(`${folder}/segment-000001`);
  fs.writeFileSync(`${folder}/segment-000001`, first.subarray(0, first.indexOf('"n":1') - 40));
  expect(await left(folder)).toEqual([0, 1, 2]);
  expect((await log.read(batch)).map((json) => JSON.parse(String(json)).n)).toEqual([0, 1, 2]);
  log.close();
});

test('a flush that fails while the disk is full is no flush until what was not flushed is written elsewhere', async () => {
  const folder = temporaryFolder();
  let [fails, isFull] = [0, false];
  const disk = faultyDisk((name) => {
    if (name === 'fdatasync' && fails-- > 0) return refusal('EIO');
    return name === 'writeSync' && isFull ? refusal('ENOSPC') : undefined;
  });
  const log = new OwnLog(disk, folder, { ...FLUSHED, root: folder });
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

test('the folders of a new path are flushed, up to the one that was there before', async () => {
  const folder = temporaryFolder();
  const opened: string[] = [];
  const disk = faultyDisk((name, [path]) => {
    if (name === 'open') opened.push(String(path));
    return undefined;
  });
  const own = `${folder}/a/b`;
  fs.mkdirSync(own, { recursive: true });
  const log = new OwnLog(disk, own, { ...FLUSHED, root: folder });
  add(log, newBatch(), 0);
  log.write();
  await log.flush();
  expect(opened).toEqual([own, `${folder}/a`, folder]);
  log.close();
});
