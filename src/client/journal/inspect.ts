import * as fs from 'node:fs';
import { join } from 'node:path';
import { damagedOf } from './damaged-files.js';
import { type DeadLetter, deadLetterFilesIn, deadLettersOf, eraseLines, lettersIn } from './dead-letter-file.js';
import { EndedFile } from './ended-file.js';
import { eraseIn } from './erase.js';
import { listed } from './file-system.js';
import { ownedLike } from './owned-like.js';
import { foldersIn, OwnerFolder, ownersIn } from './owner-folder.js';
import { RecoveredFolder } from './recovered-folder.js';
import { type LeftMessage, segmentsIn } from './segment-reader.js';

/** A message as it was sent, as far as a person asks for it. */
export interface JournaledMessage {
  readonly type: string;
  readonly messageId: string;
  readonly timestamp: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly previousId?: string;
  readonly event?: string;
}

/** A message that waits to be sent. */
export interface Waiting {
  readonly state: 'waiting';
  /** Whether the client that has accepted it lives. That client sends it. */
  readonly isOwned: boolean;
  readonly message: JournaledMessage;
}

/** A message that was given up. */
export interface Dead extends Omit<DeadLetter, 'message'> {
  readonly state: 'dead';
  readonly message: JournaledMessage | null;
  /** Where it stands. */
  readonly file: string;
  readonly line: number;
}

/** Whether there is a journal at a path. */
export const isJournal = (path: string): boolean =>
  fs.existsSync(join(path, 'owners')) || fs.existsSync(deadLettersOf(path));

/** Reads the waiting messages of a journal, oldest first. Takes nothing over. */
export async function* waitingIn(journal: string): AsyncGenerator<Waiting> {
  for (const { path, isAlive } of await ownersIn(fs, journal)) {
    for (const folder of foldersIn(fs, path)) {
      for await (const { json } of peek(folder)) {
        if (json !== undefined) yield { state: 'waiting', isOwned: isAlive, message: JSON.parse(json.toString()) };
      }
    }
  }
}

/** Reads the waiting messages of a folder; ends early when its living client has just delivered them. @throws NewerVersionProblem */
async function* peek(folder: string): AsyncGenerator<LeftMessage> {
  try {
    yield* RecoveredFolder.peek(fs, folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** The dead letters of a journal, oldest first. */
export function* deadIn(journal: string): Generator<Dead> {
  for (const file of deadLetterFilesIn(fs, deadLettersOf(journal))) {
    for (const { line, letter } of lettersIn(fs, file)) {
      yield { ...letter, state: 'dead', message: letter.message as JournaledMessage | null, file, line };
    }
  }
}

/** Erases dead letters that were replayed or dropped: their text is in no file any more. @throws the system's error */
export function removeDead(letters: readonly Dead[]): void {
  const lines = new Map<string, number[]>();
  for (const { file, line } of letters) {
    const known = lines.get(file);
    if (known === undefined) lines.set(file, [line]);
    else known.push(line);
  }
  for (const [file, numbers] of lines) eraseLines(fs, file, numbers);
}

/** Removes bytes that no message can be read from, where they hold one of the texts; all of them when there are none. */
export function removeDamaged(journal: string, texts: readonly string[]): void {
  for (const name of listed(fs, damagedOf(journal))) {
    const path = join(damagedOf(journal), name);
    const bytes = fs.readFileSync(path);
    if (texts.length === 0 || texts.some((text) => bytes.includes(text))) fs.rmSync(path, { force: true });
  }
}

/**
 * Drops waiting messages of clients that have ended: their text is in no file any more, and neither is that of messages that had
 * ended before. What is left stays where it was.
 *
 * @returns how many
 * @throws NewerVersionProblem when a newer version wrote some; then nothing is dropped
 */
export async function dropWaiting(journal: string, isMeant: (message: JournaledMessage) => boolean): Promise<number> {
  for (const { path } of await ownersIn(fs, journal)) {
    for (const folder of foldersIn(fs, path)) await segmentsIn(fs, folder);
  }
  const disk = ownedLike(fs, journal);
  const owner = OwnerFolder.create(disk, journal, undefined);
  let dropped = 0;
  for (const path of await owner.adopt(async () => true)) {
    const ended = EndedFile.read(disk, path);
    dropped += eraseIn(disk, path, ended, (json) => json !== undefined && isMeant(JSON.parse(json.toString())));
    const folder = await RecoveredFolder.open(disk, path);
    if (folder.pending === 0) folder.remove();
    else owner.giveBack(path);
  }
  await owner.release(false);
  return dropped;
}
