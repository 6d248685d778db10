import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EndedFile } from '../../../src/client/journal/ended-file.js';
import { recordBytes, writeRecord } from '../../../src/client/journal/message-record.js';
import { RecoveredFolder } from '../../../src/client/journal/recovered-folder.js';
import { encodeHead, HEAD_BYTES } from '../../../src/client/journal/segment-file.js';
import { SegmentLog } from '../../../src/client/journal/segment-log.js';
import { SequenceSet } from '../../../src/client/journal/sequence-set.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { writeSegment } from './left-folder.js';

const TEXTS = ['one', 'two', 'three'] as const;
const isTwo = (json: Buffer): boolean => json.toString() === '"two"';

function folderOf(...messages: string[]): string {
  const folder = temporaryFolder();
  writeSegment(
    folder,
    messages.map((message) => JSON.stringify(message)),
  );
  return folder;
}

const segmentOf = (folder: string): string => join(folder, 'segment-000001');
const textOf = (folder: string): string => fs.readFileSync(segmentOf(folder), 'latin1');

async function erase(folder: string, isMeant: (json: Buffer) => boolean, erasesDamage = true) {
  return (await RecoveredFolder.open(fs, folder)).erase(isMeant, erasesDamage);
}

async function left(folder: string): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for await (const { json, isErased } of RecoveredFolder.peek(fs, folder)) {
    if (!isErased) found.push(json?.toString());
  }
  return found;
}

/** Changes one bit of a segment. */
function flip(folder: string, at: (segment: Buffer) => number): void {
  const segment = fs.readFileSync(segmentOf(folder));
  segment.writeUInt8(segment.readUInt8(at(segment)) ^ 1, at(segment));
  fs.writeFileSync(segmentOf(folder), segment);
}

function cut(folder: string, bytes: number): void {
  fs.truncateSync(segmentOf(folder), fs.statSync(segmentOf(folder)).size - bytes);
}

/** Where the record that holds a text begins. */
const recordOf = (segment: Buffer, text: string): number => segment.lastIndexOf(0xff, segment.indexOf(text));

test('a message that is erased is in no byte of its segment, and its neighbours are read', async () => {
  const folder = folderOf(...TEXTS);
  expect(await erase(folder, isTwo)).toEqual({ messages: 1, damagedBytes: 0, left: 2 });
  expect(await erase(folder, isTwo)).toEqual({ messages: 0, damagedBytes: 0, left: 2 });
  expect(await left(folder)).toEqual(['"one"', '"three"']);
  expect(textOf(folder)).not.toContain('two');
  expect((await RecoveredFolder.open(fs, folder)).pending).toBe(2);
});

test('messages that had ended are erased too and not counted, and so are files that nobody reads and what is behind the last record', async () => {
  const folder = folderOf(...TEXTS);
  fs.appendFileSync(segmentOf(folder), 'two of an earlier use');
  fs.writeFileSync(join(folder, 'segment-000009.spare'), 'two');
  new EndedFile(fs, folder).write({ sequences: new SequenceSet(1), reached: 3 });
  expect(await erase(folder, isTwo)).toMatchObject({ messages: 1, left: 1 });
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('segment'))).toEqual(['segment-000001']);
  expect(textOf(folder)).not.toMatch(/one|two/);
});

test('a message of a failed write is erased whose number counts in the next segment alone', async () => {
  const folder = folderOf('one', 'two');
  const other = temporaryFolder();
  const log = new SegmentLog(fs, other, { root: other, segmentBytes: 2 ** 20, isFlushed: false });
  const json = Buffer.from('"three"');
  log.append(1, { bytes: json, lengths: [json.length] });
  log.close();
  const records = fs.readFileSync(segmentOf(other)).subarray(HEAD_BYTES);
  fs.writeFileSync(join(folder, 'segment-000002'), Buffer.concat([encodeHead(2, 1), records]));
  expect(await left(folder)).toEqual(['"one"', '"three"']);
  await erase(folder, () => false);
  expect(await left(folder)).toEqual(['"one"', '"three"']);
  expect(textOf(folder)).not.toContain('two');
});

test('erasing needs no room on the disk', async () => {
  const folder = folderOf('one', 'two');
  const before = fs.statSync(segmentOf(folder)).size;
  await erase(folder, () => true);
  expect(fs.statSync(segmentOf(folder)).size).toBe(before);
});

test.each<[string, (folder: string) => void]>([
  ['a bit in the head of the segment', (folder) => flip(folder, () => 30)],
  ['a bit in the header of a record', (folder) => flip(folder, (segment) => recordOf(segment, 'two') + 9)],
  ['a bit in the table of a record', (folder) => flip(folder, (segment) => recordOf(segment, 'two') + 25)],
  ['a bit in a message', (folder) => flip(folder, (segment) => segment.indexOf('two'))],
  ['a bit in the footer of a record', (folder) => flip(folder, (segment) => segment.indexOf('two') + 12)],
  ['the tail of the segment', (folder) => cut(folder, 26)],
])('after damage to %s, nothing of a message that does not stay is readable, and what stays is', async (_, damage) => {
  const folder = folderOf(...TEXTS);
  new EndedFile(fs, folder).write({ sequences: new SequenceSet(0), reached: 3 });
  damage(folder);
  const readable = (await left(folder)).filter((json) => json !== undefined && json !== '"two"');
  await erase(folder, isTwo);
  expect(textOf(folder)).not.toMatch(/two|[a-z]wo|tw/);
  expect(await left(folder)).toEqual(readable);
  for (const text of TEXTS)
    if (!readable.includes(`"${text}"`)) expect(textOf(folder)).not.toContain(text.slice(1, -1));
  expect(await erase(folder, () => true)).toMatchObject({ damagedBytes: 0, left: 0 });
  expect(textOf(folder)).not.toMatch(/one|two|three/);
});

test('damage stays where it is not meant, and is not counted as erased', async () => {
  const folder = folderOf(...TEXTS);
  flip(folder, (segment) => segment.indexOf('three'));
  expect(await erase(folder, isTwo, false)).toEqual({ messages: 1, damagedBytes: 0, left: 2 });
  expect(textOf(folder)).toContain('hree');
  expect(await left(folder)).toEqual(['"one"', undefined]);
});

/** What is left of an earlier use of a file: the end of a record, and a whole one. */
function earlierUse(): Buffer {
  const bytes = Buffer.from('"secret"');
  const record = Buffer.alloc(recordBytes(1, bytes.length));
  writeRecord(record, 3, { bytes, lengths: [bytes.length] });
  return Buffer.concat([record.subarray(-40), record]);
}

test('a drop that leaves damage erases what an earlier use of a file has left behind the last record, unless that file is damaged', async () => {
  const folder = temporaryFolder();
  const log = new SegmentLog(fs, folder, { root: folder, segmentBytes: 2 ** 20, isFlushed: false });
  for (const sequence of [10, 11]) log.append(sequence, { bytes: Buffer.from('"kept"'), lengths: [6] });
  log.close();
  fs.appendFileSync(segmentOf(folder), earlierUse());
  expect(await erase(folder, () => false, false)).toEqual({ messages: 0, damagedBytes: 0, left: 2 });
  expect(textOf(folder)).not.toContain('secret');
  expect(await left(folder)).toEqual(['"kept"', '"kept"']);
  flip(folder, (segment) => segment.indexOf('kept'));
  fs.appendFileSync(segmentOf(folder), earlierUse());
  expect(await erase(folder, () => false, false)).toEqual({ messages: 0, damagedBytes: 0, left: 2 });
  expect(textOf(folder)).toContain('secret');
});
