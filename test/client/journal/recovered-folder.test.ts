import * as fs from 'node:fs';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RecoveredFolder } from '../../../src/client/journal/recovered-folder.js';
import { SegmentLog } from '../../../src/client/journal/segment-log.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { newerHead, writeSegment } from './left-folder.js';

async function numbersIn(folder: RecoveredFolder): Promise<number[]> {
  const found: number[] = [];
  for await (const { json } of folder.messages(0)) found.push(Number(json));
  return found;
}

/** A folder in which a client has left these messages. */
function leave(...numbers: number[]): string {
  const path = join(temporaryFolder(), 'owner');
  mkdirSync(path);
  writeSegment(path, numbers);
  return path;
}

test('a recovered folder knows how many messages are left in it, and their bytes', async () => {
  const folder = await RecoveredFolder.open(fs, leave(10, 11, 12));
  expect([folder.pending, folder.bytes]).toEqual([3, 6]);
  expect(await numbersIn(folder)).toEqual([10, 11, 12]);
});

test('messages of a recovered folder that have ended are not read again by the next process', async () => {
  const path = leave(10, 11, 12, 13);
  const first = await RecoveredFolder.open(fs, path);
  first.noteEnded([0, 2]);
  expect(first.pending).toBe(2);
  first.write();
  const second = await RecoveredFolder.open(fs, path);
  expect([second.pending, second.bytes]).toEqual([2, 4]);
  expect(await numbersIn(second)).toEqual([11, 13]);
});

test('messages of a recovered folder whose end was not written are read again by the next process', async () => {
  const path = leave(10, 11);
  const first = await RecoveredFolder.open(fs, path);
  first.noteEnded([0]);
  const second = await RecoveredFolder.open(fs, path);
  expect(second.pending).toBe(2);
});

test('a recovered folder is gone once all of its messages have ended and that is written', async () => {
  const path = leave(10, 11);
  const folder = await RecoveredFolder.open(fs, path);
  folder.noteEnded([0, 1]);
  expect(existsSync(path)).toBe(true);
  folder.write();
  expect(existsSync(path)).toBe(false);
});

test('a folder that a client still writes can be looked into without taking anything', async () => {
  const path = leave(10, 11);
  const found: string[] = [];
  for await (const { json } of RecoveredFolder.peek(fs, path)) found.push(String(json));
  expect(found).toEqual(['10', '11']);
  expect(fs.readdirSync(path)).toEqual(['ended-0', 'ended-1', 'segment-000001']);
});

test('a recovered folder is refused when any of its segments is of a newer version', async () => {
  const path = leave(10);
  await expect(RecoveredFolder.open(fs, path)).resolves.toBeDefined();
  writeFileSync(join(path, 'segment-000002'), newerHead());
  await expect(RecoveredFolder.open(fs, path)).rejects.toThrow('was written by a newer version');
});

test('a segment of a recovered folder is removed once all of its messages have ended and that is noted, and the rest is read', async () => {
  const path = leave(10, 11);
  const log = new SegmentLog(fs, path, { root: path, segmentBytes: 100, isFlushed: false });
  for (const sequence of [0, 1, 2]) log.append(sequence, { bytes: Buffer.from(`1${sequence}`), lengths: [2] });
  log.close();
  const folder = await RecoveredFolder.open(fs, path);
  folder.noteEnded([1]);
  folder.write();
  expect(fs.readdirSync(path).filter((name) => name.startsWith('segment-'))).toEqual([
    'segment-000001',
    'segment-000003',
  ]);
  const next = await RecoveredFolder.open(fs, path);
  expect([next.pending, await numbersIn(next)]).toEqual([2, [10, 12]]);
});

test('of a folder without a note of what ended, messages before its first segment are not missed', async () => {
  const path = join(temporaryFolder(), 'owner');
  mkdirSync(path);
  const log = new SegmentLog(fs, path, { root: path, segmentBytes: 100, isFlushed: false });
  log.append(5, { bytes: Buffer.from('15'), lengths: [2] });
  log.close();
  const folder = await RecoveredFolder.open(fs, path);
  expect([folder.pending, await numbersIn(folder)]).toEqual([1, [15]]);
});
