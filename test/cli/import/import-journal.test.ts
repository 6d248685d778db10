import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Checkpoint, readCheckpoint } from '../../../src/cli/import/checkpoint.js';
import { Journal, type Reject } from '../../../src/cli/import/import-journal.js';
import { newFile, newFolder } from '../files.js';

const base = { version: 1, endpoint: 'http://127.0.0.1:1', files: ['/a'], settings: {} } as const;
const progress = (delivered: number) => ({ file: 0, delivered, rejected: 0 });
const entry = (delivered: number, rejects: readonly Reject[] = []) => ({ rejects, progress: progress(delivered) });
const reject = { file: 'a', line: 1, reason: 'why', row: 'ü' };

async function newJournal() {
  const folder = await newFolder();
  const [rejects, checkpoint] = [join(folder, 'rejects'), join(folder, 'checkpoint')];
  return { rejects, checkpoint, journal: await Journal.open({ rejects, checkpoint, base, from: undefined }) };
}

test('the import journal writes one entry after the other, each as it is when its turn comes', async () => {
  const { journal, checkpoint } = await newJournal();
  let delivered = 0;
  const take = () => entry(++delivered);
  await Promise.all([journal.write(take), journal.write(take)]);
  expect((await readCheckpoint(checkpoint))?.delivered).toBe(2);
  await journal.close({ isDone: false });
});

test('the checkpoint counts the rejected rows that are on disk', async () => {
  const { journal, checkpoint, rejects } = await newJournal();
  await journal.write(() => entry(0, [reject]));
  await journal.close({ isDone: false });
  const bytes = (await readFile(rejects)).length;
  expect(bytes).toBeGreaterThan(0);
  expect((await readCheckpoint(checkpoint))?.rejectsBytes).toBe(bytes);
});

test('the import journal drops rejected rows after the checkpoint', async () => {
  const rejects = await newFile('rejects', 'kept\ndropped\n');
  const journal = await Journal.open({
    rejects,
    checkpoint: undefined,
    base,
    from: { ...base, ...progress(0), rejectsBytes: 5 },
  });
  await journal.write(() => entry(0, [{ file: 'a', line: 2, reason: 'why', row: '' }]));
  await journal.close({ isDone: false });
  expect(await readFile(rejects, 'utf8')).toBe('kept\n{"file":"a","line":2,"reason":"why","row":""}\n');
});

test('the import journal writes all bytes to a disk that accepts only parts', async () => {
  const { journal, checkpoint, rejects } = await newJournal();
  const handle = await open(rejects);
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { write } = prototype;
  const threeBytes = function (this: FileHandle, bytes: Uint8Array, from: number, _: null, at: number) {
    return Reflect.apply(write, this, [bytes, from, 3, at]);
  };
  const few = vi.spyOn(prototype, 'write').mockImplementation(threeBytes as never);
  onTestFinished(() => few.mockRestore());
  await journal.write(() => entry(0, [reject]));
  await journal.close({ isDone: false });
  const bytes = await readFile(rejects);
  expect(JSON.parse(String(bytes))).toEqual(reject);
  expect((await readCheckpoint(checkpoint))?.rejectsBytes).toBe(bytes.length);
});

test('the import journal reports a disk that refuses in one line', async () => {
  const folder = await newFolder();
  const opening = Journal.open({ rejects: folder, checkpoint: undefined, base, from: undefined });
  await expect(opening).rejects.toThrow(/^--rejects: EISDIR/);
  const nowhere = { rejects: undefined, checkpoint: join(folder, 'no/where'), base, from: undefined };
  await expect(Journal.open(nowhere)).rejects.toThrow(
    /^cannot write the checkpoint: ENOENT.*; give --checkpoint FILE to put it elsewhere$/,
  );
  const { journal, checkpoint } = await newJournal();
  await mkdir(`${checkpoint}.new`);
  const refused = /^cannot write the progress of the import: EISDIR/;
  await expect(journal.write(() => entry(1))).rejects.toThrow(refused);
  await expect(journal.write(() => expect.unreachable())).rejects.toThrow(refused);
  await expect(journal.close({ isDone: false })).rejects.toThrow(refused);
  expect(journal.hasCheckpoint).toBe(false);
});

test.each([
  '{',
  '{}',
  '[]',
  JSON.stringify({ ...base, version: 3 } satisfies Partial<Record<keyof Checkpoint, unknown>>),
])('%s is not a checkpoint', async (text) => {
  const path = await newFile('checkpoint', text);
  await expect(readCheckpoint(path)).rejects.toThrow('is not a checkpoint of an import');
});
