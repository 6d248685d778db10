import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { contentOf, recordsBytes, writeMessages } from '../../../src/client/journal/batch-file.js';
import { OwnFile } from '../../../src/client/journal/own-file.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';

const batch = new Batch('00000000-0000-4000-8000-000000000000', { maxBytes: 500_000, maxMessages: 100 });

/** Makes a file, with a function that reads its messages. */
function newFile(disk: typeof fs = fs) {
  const path = join(temporaryFolder(), '000001.batch');
  const file = new OwnFile(disk, path, batch);
  onTestFinished(() => file.close());
  const append = (...numbers: number[]): void => {
    const bytes = Buffer.from(numbers.join(','));
    const target = Buffer.alloc(recordsBytes(numbers.length, bytes.length));
    const lengths = numbers.map((number) => String(number).length);
    const length = writeMessages(target, file.count, bytes, lengths);
    file.append(target.subarray(0, length), numbers.length);
  };
  const read = (): number[] => contentOf(fs.readFileSync(path)).messages.map(({ json }) => Number(json));
  return { file, path, append, read };
}

test('a message can be added to a file after a note', () => {
  const { file, append, read } = newFile();
  append(10, 11);
  file.noteRange(0, 1);
  file.writeNote();
  append(12);
  file.noteRange(1, 2);
  file.writeNote();
  expect([file.hasNews, read()]).toEqual([false, [12]]);
});

test('the bytes of a failed write are cut off at once, or else before the next write', () => {
  let [isFull, isCutRefused] = [true, true];
  const disk = faultyDisk((name, [handle, bytes, , length, position]) => {
    if (name === 'ftruncateSync' && isCutRefused) return refusal('EIO');
    if (name !== 'writeSync' || !isFull) return undefined;
    fs.writeSync(handle as number, bytes as Buffer, 0, (length as number) - 1, position as number);
    return refusal('ENOSPC');
  });
  const { file, path, append, read } = newFile(disk);
  expect(() => append(10, 11, 12)).toThrow('ENOSPC');
  expect([file.count, read()]).toEqual([0, [10, 11]]);
  isFull = false;
  expect(() => append(13)).toThrow('EIO');
  isCutRefused = false;
  append(13);
  expect(read()).toEqual([13]);
  isFull = true;
  const { size } = fs.statSync(path);
  expect(() => append(14)).toThrow('ENOSPC');
  expect(fs.statSync(path).size).toBe(size);
});

test('a file that is closed during a flush stays open until the flush has ended', async () => {
  let end = (): void => {};
  const fdatasync = (_: number, done: (error: null) => void): void => {
    end = () => done(null);
  };
  const { file, append } = newFile({ ...fs, fdatasync } as unknown as typeof fs);
  append(10);
  const flushed = file.flush(() => Buffer.alloc(0));
  file.remove();
  expect(file.isUnlinked).toBe(true);
  end();
  await flushed;
  expect([file.isFlushed, file.isUnlinked, file.isMissing]).toEqual([true, false, true]);
});

test('writing a note to a removed file does not fail, because none of its messages would be sent again', () => {
  const { file, path, append } = newFile();
  append(10, 11);
  file.close();
  fs.rmSync(path);
  file.noteRange(0, 1);
  expect(() => file.writeNote()).not.toThrow();
});

test('messages need a flush, and a note in a closed file does not', async () => {
  const { file, append, read } = newFile();
  append(10, 11);
  expect(file.isFlushed).toBe(false);
  await file.flush(() => Buffer.alloc(0));
  expect(file.isFlushed).toBe(true);
  file.close();
  file.noteRange(0, 1);
  file.writeNote();
  expect([file.isFlushed, read()]).toEqual([true, [11]]);
});
