import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { damagedOf } from './damaged-files.js';
import {
  type DeadLetter,
  deadLetterFilesIn,
  deadLettersOf,
  eraseLines,
  lettersIn,
  writerOf,
} from './dead-letter-file.js';
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
      yield { ...deadOf(letter), file, line };
    }
  }
}

const deadOf = (letter: DeadLetter): Omit<Dead, 'file' | 'line'> => ({
  ...letter,
  state: 'dead',
  message: letter.message as JournaledMessage | null,
});

/** Erases dead letters that were replayed: their text is in no file any more. @throws the system's error */
export function removeDead(letters: readonly Dead[]): void {
  const lines = new Map<string, Set<number>>();
  for (const { file, line } of letters) {
    const known = lines.get(file);
    if (known === undefined) lines.set(file, new Set([line]));
    else known.add(line);
  }
  for (const [file, meant] of lines) eraseLines(fs, file, (_, line) => meant.has(line));
}

/** What a drop has erased. */
export interface Dropped {
  readonly messages: number;
  /** Of pieces that no message can be read from. */
  readonly damagedBytes: number;
}

/**
 * Erases dead letters, one file at a time.
 *
 * @param erasesDamage whether lines that cannot be read go too, but for those that a living client may be writing
 * @throws the system's error
 */
export async function dropDead(
  journal: string,
  isMeant: (letter: Omit<Dead, 'file' | 'line'>) => boolean,
  erasesDamage: boolean,
): Promise<Dropped> {
  const living = new Set((await ownersIn(fs, journal)).flatMap(({ path, isAlive }) => (isAlive ? basename(path) : [])));
  let [messages, damagedBytes] = [0, 0];
  for (const file of deadLetterFilesIn(fs, deadLettersOf(journal))) {
    const mayBeGrowing = living.has(writerOf(file) ?? '');
    eraseLines(fs, file, (letter, _, bytes) => {
      const goes = letter === undefined ? erasesDamage && !mayBeGrowing : isMeant(deadOf(letter));
      if (!goes) return false;
      if (letter === undefined) damagedBytes += bytes;
      else messages++;
      return true;
    });
  }
  return { messages, damagedBytes };
}

/** Removes the bytes that clients have set aside because no message can be read from them; returns how many. */
export function removeDamaged(journal: string): number {
  let bytes = 0;
  for (const name of listed(fs, damagedOf(journal))) {
    const path = join(damagedOf(journal), name);
    bytes += fs.statSync(path).size;
    fs.rmSync(path, { force: true });
  }
  return bytes;
}

/**
 * Erases waiting messages of clients that have ended, and all that had ended before. What is left stays where it was.
 *
 * @param erasesDamage whether what cannot be read goes too
 * @throws NewerVersionProblem when a newer version wrote some; then nothing is dropped
 */
export async function dropWaiting(
  journal: string,
  isMeant: (message: JournaledMessage) => boolean,
  erasesDamage: boolean,
): Promise<Dropped> {
  for (const { path } of await ownersIn(fs, journal)) {
    for (const folder of foldersIn(fs, path)) await segmentsIn(fs, folder);
  }
  const disk = ownedLike(fs, journal);
  const owner = OwnerFolder.create(disk, journal, undefined);
  let [messages, damagedBytes] = [0, 0];
  for (const path of await owner.adopt(async () => true)) {
    const folder = await RecoveredFolder.open(disk, path);
    const erased = await folder.erase((json) => isMeant(JSON.parse(json.toString())), erasesDamage);
    messages += erased.messages;
    damagedBytes += erased.damagedBytes;
    if (erased.left === 0) folder.remove();
    else owner.giveBack(path);
  }
  await owner.release(false);
  return { messages, damagedBytes };
}
