import * as fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OwnLog } from '../../../src/client/journal/own-log.js';
import { RecoveredFolder } from '../../../src/client/journal/recovered-folder.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { inMemory, temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';
import { upTo } from './life.js';

/** With so little room, a segment has the smallest size. */
const SMALL = { maxBytes: 1, isFlushed: false };
const SEGMENT_BYTES = 64 * 2 ** 10;

const newBatch = (): Batch =>
  new Batch('00000000-0000-4000-8000-000000000000', { maxBytes: 500_000, maxMessages: 10_000 });

const jsonOf = (n: number, padding = 1_000): string => JSON.stringify({ n, pad: 'x'.repeat(padding) });

/** A batch of these messages. */
function add(log: OwnLog, ...jsons: string[]): Batch {
  const batch = newBatch();
  for (const json of jsons) {
    batch.add(json);
    log.noteAdded(batch);
  }
  return batch;
}

function end(log: OwnLog, batch: Batch): void {
  batch.results.endUpTo(batch.count);
  log.noteEnded(batch, 0, batch.count);
}

/** What the next process finds in a folder: numbers, or undefined for what cannot be read. */
async function left(folder: string): Promise<(number | undefined)[]> {
  const found: (number | undefined)[] = [];
  for await (const { json } of RecoveredFolder.peek(fs, folder)) found.push(json && JSON.parse(String(json)).n);
  return found;
}

const bytesIn = (folder: string): number =>
  fs.readdirSync(folder).reduce((sum, name) => sum + fs.statSync(join(folder, name)).size, 0);

test('batches that never end hold no more of the disk than they need, and stay whole and in order', async () => {
  const folder = temporaryFolder();
  const log = new OwnLog(fs, folder, { ...SMALL, root: folder });
  const stuck: Batch[] = [];
  for (let n = 0; n < 2_000; n += 10) {
    const [first, rest] = [add(log, jsonOf(n)), add(log, ...upTo(9).map((more) => jsonOf(n + 1 + more)))];
    log.write();
    if (n % 100 === 0) stuck.push(first);
    else end(log, first);
    end(log, rest);
    log.write();
  }
  // Twenty messages, in the rest of their segments, beside the one in use and two spare ones.
  expect(bytesIn(folder)).toBeLessThan(20 * 2_000 + 4 * SEGMENT_BYTES);
  const numbers = stuck.map((_, index) => index * 100);
  expect(await left(folder)).toEqual(numbers);
  expect(await Promise.all(stuck.map((batch) => log.read(batch)))).toEqual(
    numbers.map((n) => [Buffer.from(jsonOf(n))]),
  );
  log.close();
});

test('a disk without room for a rewrite keeps the segment as it is, and nothing of the attempt', async () => {
  const folder = temporaryFolder();
  let refused = 0;
  const disk = faultyDisk((name, [path]) => {
    const isRewrite = name === 'openSync' && String(path).endsWith('.spare');
    if (isRewrite) refused++;
    return isRewrite ? refusal('ENOSPC') : undefined;
  });
  const log = new OwnLog(disk, folder, { ...SMALL, root: folder });
  add(log, jsonOf(0));
  for (let n = 1; n < 200; n++) {
    const batch = add(log, jsonOf(n));
    log.write();
    end(log, batch);
    log.write();
  }
  expect(refused).toBeGreaterThan(0);
  expect(await left(folder)).toEqual([0]);
  expect(fs.statSync(join(folder, 'segment-000001')).size).toBeGreaterThan(SEGMENT_BYTES / 2);
  log.close();
});

interface Trouble {
  /** Its process is killed in this call of the disk. */
  readonly killedIn: number;
  /** In these calls, the disk is full. */
  readonly fullIn: readonly number[];
}

function disturbed({ killedIn, fullIn }: Trouble): typeof fs {
  let calls = 0;
  return faultyDisk((name, args, pass) => {
    if (name === 'closeSync') return undefined;
    // Nothing can be relied upon that cuts a file back.
    if (name === 'ftruncateSync' || calls > killedIn) return refusal('EIO');
    const call = calls++;
    const isFull = name === 'writeSync' && fullIn.includes(call);
    if (call < killedIn && !isFull) return undefined;
    if (name === 'writeSync') cutOff(args);
    if (name === 'renameSync') pass();
    return refusal(isFull ? 'ENOSPC' : 'EIO');
  });
}

/** A client that writes to a disk until it is killed, whose batches end in any order. */
class Writer {
  readonly folder = temporaryFolder(inMemory());
  readonly stored = new Set<number>();
  readonly ended = new Set<number>();
  readonly #log: OwnLog;
  readonly #isFlushed: boolean;
  #open: { readonly n: number; readonly batch: Batch }[] = [];
  #next = 0;

  constructor(trouble: Trouble, isFlushed: boolean) {
    const disk = disturbed(trouble);
    this.#isFlushed = isFlushed;
    this.#log = new OwnLog(disk, this.folder, { ...SMALL, root: this.folder, isFlushed });
  }

  /** @param ends which of the open batches end afterwards, by their place among them. @throws Error when it is killed */
  async turn(adds: number, ends: readonly number[]): Promise<void> {
    for (let more = 0; more < adds; more++)
      this.#open.push({ n: this.#next, batch: add(this.#log, jsonOf(this.#next++, 4_000)) });
    await this.#store();
    const over = this.#open.filter((_, place) => ends.includes(place));
    this.#open = this.#open.filter((each) => !over.includes(each));
    for (const { n, batch } of over) {
      this.ended.add(n);
      end(this.#log, batch);
    }
  }

  /** @throws Error when it is killed */
  async #store(): Promise<void> {
    try {
      this.#log.write();
      if (this.#isFlushed) await this.#log.flush();
      for (const { n } of this.#open) this.stored.add(n);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('ENOSPC')) throw error;
    }
  }

  close(): void {
    this.#log.close();
  }
}

const turn = fc.record({ adds: fc.nat(12), ends: fc.array(fc.nat(30), { maxLength: 20 }) });
const trouble = fc.record({
  killedIn: fc.integer({ min: 20, max: 200 }),
  fullIn: fc.array(fc.integer({ min: 20, max: 200 }), { maxLength: 4 }),
});

test('a kill at any moment of a log whose batches end in any order loses nothing that waits, and doubles and damages nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 4, maxLength: 30 }),
      trouble,
      fc.boolean(),
      async (turns, troubles, isFlushed) => {
        const writer = new Writer(troubles, isFlushed);
        try {
          for (const { adds, ends } of turns) await writer.turn(adds, ends);
        } catch (error) {
          expect(error).toMatchObject({ code: 'EIO' });
        }
        writer.close();
        const found = await left(writer.folder);
        expect(found).toEqual([...new Set(found)].sort((a, b) => (a ?? -1) - (b ?? -1)));
        expect(found).not.toContain(undefined);
        const missing = [...writer.stored].filter((n) => !writer.ended.has(n) && !found.includes(n));
        expect(missing).toEqual([]);
        fs.rmSync(writer.folder, { recursive: true });
      },
    ),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 60), endOnFailure: true },
  );
}, 300_000);

/** The first half of a write. */
function cutOff(args: readonly unknown[]): void {
  const [handle, bytes, from, length, position] = args as [number, Buffer, number, number, number];
  fs.writeSync(handle, bytes, from, Math.floor(length / 2), position);
}
