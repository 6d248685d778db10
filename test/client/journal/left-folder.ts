import * as fs from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AnswerLine } from '../../../src/base/process/lifeline.js';
import {
  batchPath,
  type JournaledMessage,
  recordsBytes,
  writeMessages,
} from '../../../src/client/journal/batch-file.js';
import { FileReader } from '../../../src/client/journal/file-system.js';
import { formatLine } from '../../../src/client/journal/journal-format.js';
import type { LeftBatches } from '../../../src/client/journal/left-batches.js';
import { OwnerFolder } from '../../../src/client/journal/owner-folder.js';
import { markSource, NOTE, type Source } from '../../../src/client/journal/owner-note.js';

/** Returns the content of a file with these messages. */
export function batchWith(...messages: (string | number)[]): Buffer {
  const texts = messages.map((message) => Buffer.from(String(message)));
  const bytes = Buffer.from(messages.map(String).join(','));
  const target = Buffer.alloc(recordsBytes(messages.length, bytes.length));
  const length = writeMessages(
    target,
    0,
    bytes,
    texts.map((text) => text.length),
  );
  return target.subarray(0, length);
}

/** Returns the name of a client's folder for a short name, such as `a`, `b@a` or `.new-a`. */
export function clientName(short: string): string {
  const draft = short.startsWith('.new-') ? '.new-' : '';
  const parts = short.slice(draft.length).split('@');
  return draft + parts.map((part) => (/^\w{1,9}$/.test(part) ? `${part.padStart(9, '0')}-00000000` : part)).join('@');
}

/** Returns the short names in a path or text. */
export const shortened = (text: string): string => text.replace(/0*([0-9a-z]+)-00000000/g, '$1');

/** Writes messages as JSON to a batch file in a folder, as a client does that leaves them. */
export function writeBatch(folder: string, messages: readonly (string | number)[], number = 1): string {
  fs.mkdirSync(folder, { recursive: true });
  const file = batchPath(folder, number);
  writeFileSync(file, batchWith(...messages));
  return file;
}

/** Marks chosen messages of a left folder as ended, as the client that took it over does. */
export async function endIn(left: LeftBatches, isMeant: (message: JournaledMessage) => boolean): Promise<void> {
  for (const file of left.files) {
    for (const message of await file.read(new FileReader(fs))) if (isMeant(message)) file.noteEnded(message.index);
  }
}

/** Marks a journal as written by a newer version. */
export const makeNewer = (journal: string): void => writeFileSync(join(journal, 'format'), formatLine(2));

/** Makes an owner that lives until the test ends. */
export function newOwner(
  journal: string,
  source?: Source,
  { disk = fs, answer = undefined as AnswerLine | undefined } = {},
): OwnerFolder {
  const owner = new OwnerFolder(disk, journal, source, answer);
  owner.open();
  onTestFinished(() => owner.release());
  return owner;
}

/** Takes over all folders that an owner finds. Returns their new paths. */
export async function takeOver(owner: OwnerFolder): Promise<string[]> {
  const taken = (await owner.ended()).map((folder) => owner.take(folder));
  return taken.filter((path) => path !== undefined);
}

/** Makes the folder of an ended owner that left one message. Returns its path. */
export async function endedOwner(journal: string): Promise<string> {
  const owner = newOwner(journal);
  writeBatch(owner.path, ['{}']);
  await owner.release();
  return owner.path;
}

/** Changes the owner in the note of a folder. */
export function noteOwner(folder: string, owner: object): void {
  const [source = ''] = readFileSync(join(folder, NOTE), 'utf8').split('\n');
  writeFileSync(join(folder, NOTE), `${source}\n${JSON.stringify(owner)}\n`);
}

export function mark(folder: string, source: Source): void {
  fs.mkdirSync(folder, { recursive: true });
  markSource(fs, folder, source);
}
