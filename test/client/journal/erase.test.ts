import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eraseIn } from '../../../src/client/journal/erase.js';
import { RecoveredFolder } from '../../../src/client/journal/recovered-folder.js';
import { SequenceSet } from '../../../src/client/journal/sequence-set.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { writeSegment } from './left-folder.js';

const NONE = { sequences: new SequenceSet(), reached: 0 };
const isTwo = (json: Buffer | undefined): boolean => json?.toString() === '"two"';

function folderOf(...messages: string[]): string {
  const folder = temporaryFolder();
  writeSegment(
    folder,
    messages.map((message) => JSON.stringify(message)),
  );
  return folder;
}

async function left(folder: string): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for await (const { json, isErased } of RecoveredFolder.peek(fs, folder)) {
    if (!isErased) found.push(json?.toString());
  }
  return found;
}

test('a message that is erased is in no byte of its segment, and its neighbours are read', async () => {
  const folder = folderOf('one', 'two', 'three');
  expect(eraseIn(fs, folder, NONE, isTwo)).toBe(1);
  expect(eraseIn(fs, folder, NONE, isTwo)).toBe(0);
  expect(await left(folder)).toEqual(['"one"', '"three"']);
  expect(fs.readFileSync(join(folder, 'segment-000001'), 'latin1')).not.toContain('two');
  expect((await RecoveredFolder.open(fs, folder)).pending).toBe(2);
});

test('messages that had ended are erased too and not counted, and so are spare files and what is behind the last record', async () => {
  const folder = folderOf('one', 'two', 'three');
  const path = join(folder, 'segment-000001');
  fs.appendFileSync(path, 'two of an earlier use');
  fs.writeFileSync(join(folder, 'segment-000009.spare'), 'two');
  expect(eraseIn(fs, folder, { sequences: new SequenceSet(1), reached: 3 }, isTwo)).toBe(1);
  expect(fs.readdirSync(folder)).toEqual(['segment-000001']);
  expect(fs.readFileSync(path, 'latin1')).not.toMatch(/one|two/);
});

test('to erase needs no room on the disk', () => {
  const folder = folderOf('one', 'two');
  const path = join(folder, 'segment-000001');
  const before = fs.statSync(path).size;
  eraseIn(fs, folder, NONE, () => true);
  expect(fs.statSync(path).size).toBe(before);
});
