import * as fs from 'node:fs';
import { readdirSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SegmentLog } from '../../../src/client/journal/segment-log.js';
import { messagesWithout, segmentsIn } from '../../../src/client/journal/segment-reader.js';
import { SequenceSet } from '../../../src/client/journal/sequence-set.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';

const MEBIBYTE = 2 ** 20;

const newLog = (folder: string, disk = fs) =>
  new SegmentLog(disk, folder, { root: folder, segmentBytes: 8 * MEBIBYTE, isFlushed: true });

/** One message of about as many bytes. */
function message(bytes: number, label = '') {
  const json = Buffer.from(JSON.stringify({ label, pad: 'x'.repeat(bytes) }));
  return { bytes: json, lengths: [json.length] };
}

async function labelsIn(folder: string): Promise<string[]> {
  const labels: string[] = [];
  const messages = messagesWithout(fs, await segmentsIn(fs, folder), undefined);
  for await (const { json } of messages) labels.push(JSON.parse(String(json)).label);
  return labels;
}

test('messages that are appended to a log are found in its files, in order, over several of them', async () => {
  const folder = temporaryFolder();
  const log = newLog(folder);
  for (let sequence = 0; sequence < 20; sequence++) log.append(sequence, message(MEBIBYTE, `m${sequence}`));
  log.close();
  expect(await labelsIn(folder)).toEqual(Array.from({ length: 20 }, (_, sequence) => `m${sequence}`));
  expect((await segmentsIn(fs, folder)).length).toBeGreaterThan(1);
});

test('a file of a log whose messages have all ended is used anew, and those before it are not read again', async () => {
  const folder = temporaryFolder();
  const log = newLog(folder);
  for (let sequence = 0; sequence < 100; sequence++) {
    log.append(sequence, message(MEBIBYTE, `m${sequence}`));
    log.release(new SequenceSet(sequence));
  }
  log.close();
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(`${folder}/${name}`).size, 0);
  expect(bytes).toBeLessThan(40 * MEBIBYTE);
  expect((await labelsIn(folder)).at(-1)).toBe('m99');
});

test('the last file of a log begins anew when nothing in it is left', async () => {
  const folder = temporaryFolder();
  const log = newLog(folder);
  for (let sequence = 0; sequence < 50; sequence++) {
    log.append(sequence, message(MEBIBYTE / 2, `m${sequence}`));
    log.release(new SequenceSet(sequence + 1));
  }
  expect(readdirSync(folder)).toEqual(['segment-000001']);
  expect(statSync(`${folder}/segment-000001`).size).toBeLessThan(2 * MEBIBYTE);
  log.append(50, message(10, 'last'));
  log.close();
  expect((await labelsIn(folder)).at(-1)).toBe('last');
});

test('a flush that began before its segment did anew says nothing of what was written since', async () => {
  const ends: (() => void)[] = [];
  const fdatasync = (_: number, callback: (error: null) => void): void => void ends.push(() => callback(null));
  const log = newLog(temporaryFolder(), { ...fs, fdatasync } as unknown as typeof fs);
  log.append(0, message(2 * MEBIBYTE, 'a'));
  const first = log.flush();
  log.release(new SequenceSet(1));
  log.append(1, message(2 * MEBIBYTE, 'b'));
  ends.shift()?.();
  await first;
  const second = log.flush();
  expect(ends).toHaveLength(1);
  ends.shift()?.();
  await second;
  log.close();
});

test('a segment that is rewritten is on the disk before it takes the place of the old one', async () => {
  const calls: string[] = [];
  const disk = faultyDisk((name) => {
    if (['fdatasyncSync', 'renameSync'].includes(name)) calls.push(name);
    return undefined;
  });
  const log = newLog(temporaryFolder(), disk);
  log.append(0, message(10, 'waits'));
  for (let sequence = 1; sequence < 20; sequence++) log.append(sequence, message(MEBIBYTE));
  await log.flush();
  log.release(new SequenceSet(0, [[1, 20]]));
  log.close();
  expect(calls.slice(calls.indexOf('fdatasyncSync'))).toEqual(['fdatasyncSync', 'renameSync']);
});

test('a log whose spare file went with an erasure writes its next segment to a new file', async () => {
  const folder = temporaryFolder();
  const log = newLog(folder);
  for (let sequence = 0; sequence < 20; sequence++) log.append(sequence, message(MEBIBYTE));
  log.release(new SequenceSet(15));
  expect(fs.readdirSync(folder).some((name) => name.endsWith('.spare'))).toBe(true);
  await log.erase((sequence) => sequence >= 15);
  expect(fs.readdirSync(folder).some((name) => name.endsWith('.spare'))).toBe(false);
  for (let sequence = 20; sequence < 40; sequence++) log.append(sequence, message(MEBIBYTE, 'last'));
  log.close();
  const messages = messagesWithout(fs, await segmentsIn(fs, folder), undefined);
  let last: string | undefined;
  for await (const { json } of messages) last = json?.toString() ?? last;
  expect(last).toContain('last');
});

test('a segment that is yet to be flushed is not rewritten', async () => {
  const folder = temporaryFolder();
  const log = newLog(folder);
  log.append(0, message(10, 'waits'));
  for (let sequence = 1; sequence < 20; sequence++) log.append(sequence, message(MEBIBYTE));
  const [first = ''] = fs.readdirSync(folder).toSorted();
  const { ino } = statSync(`${folder}/${first}`);
  log.release(new SequenceSet(0, [[1, 20]]));
  expect(statSync(`${folder}/${first}`).ino).toBe(ino);
  log.close();
});

test('a file of a log to which a write failed is not used anew, and goes when all of its messages have ended', () => {
  const folder = temporaryFolder();
  let fails = false;
  const log = new SegmentLog(
    faultyDisk((name) => (fails && name === 'writeSync' ? refusal('EIO') : undefined)),
    folder,
    { root: folder, segmentBytes: 8 * MEBIBYTE, isFlushed: false },
  );
  log.append(0, message(10));
  fails = true;
  expect(() => log.append(1, message(10))).toThrow('EIO');
  fails = false;
  log.append(1, message(10));
  log.release(new SequenceSet(1));
  log.close();
  expect(readdirSync(folder)).toEqual(['segment-000002']);
});
