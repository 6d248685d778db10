import * as fs from 'node:fs';
import type { ProcessIdentity } from '../../base/process/this-process.js';
import type { Forgotten } from '../queue/forgotten.js';
import { type DeadLetter, deadLetterFilesIn, deadLettersOf, eraseLines, lettersIn } from './dead-letter-file.js';
import { requestDrop } from './drop-request.js';
import type { Dropped } from './erase-messages.js';
import { type FileSystem, systemCodeOf } from './file-system.js';
import type { JournaledMessage, MessageFilter } from './message-filter.js';
import { ownedLike } from './owned-like.js';
import { foldersIn, OwnerFolder, ownersOf } from './owner-folder.js';
import { noteIn } from './owner-note.js';
import { RecoveredFolder } from './recovered-folder.js';
import { type LeftMessage, segmentsIn } from './segment-reader.js';

/** A message that waits to be sent. */
export interface Waiting {
  readonly state: 'waiting';
  /** True when the client that has accepted it lives, and sends it. */
  readonly isOwned: boolean;
  readonly message: JournaledMessage;
}

/** A message that was given up. */
export interface Dead extends Omit<DeadLetter, 'message'> {
  readonly state: 'dead';
  readonly message: JournaledMessage;
  /** The place of the message. */
  readonly file: string;
  readonly line: number;
}

/** A message that cannot be read any more, or is missing. */
export interface Damage {
  readonly of: Waiting['state'] | Dead['state'];
  /** Its file, or the folder whose file is missing. */
  readonly path: string;
  /** The first byte of it there. */
  readonly at: number | undefined;
}

type OnDamage = (damage: Damage) => void;

const ignore: OnDamage = () => {};

/** Tells whether there is a journal at a path. @throws the system's error, for one that this user may not read */
export const isJournal = (path: string, disk: Pick<FileSystem, 'accessSync'> = fs): boolean =>
  [ownersOf(path), deadLettersOf(path)].some((folder) => {
    try {
      disk.accessSync(folder, fs.constants.R_OK | fs.constants.X_OK);
      return true;
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error))) return false;
      throw error;
    }
  });

/**
 * Reads the waiting messages of a journal, oldest first. Takes nothing over.
 *
 * @param onDamage hears of nothing that a living client owns, which may be writing it
 */
export async function* waitingIn(journal: string, onDamage = ignore): AsyncGenerator<Waiting> {
  for (const { path, isAlive } of await foldersIn(fs, journal)) {
    for await (const { json, isErased, ...place } of peek(path)) {
      if (json !== undefined) yield { state: 'waiting', isOwned: isAlive, message: JSON.parse(json.toString()) };
      else if (!isErased && !isAlive) onDamage({ of: 'waiting', ...placeOf(place, path) });
    }
  }
}

/** A segment that is missing has no path. */
const placeOf = ({ path, at }: Pick<LeftMessage, 'path' | 'at'>, folder: string): Pick<Damage, 'path' | 'at'> =>
  path === '' ? { path: folder, at: undefined } : { path, at };

/** Reads the waiting messages of a folder; ends early when its living client has just delivered them. @throws NewerVersionProblem */
async function* peek(folder: string): AsyncGenerator<LeftMessage> {
  try {
    yield* RecoveredFolder.peek(fs, folder);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
}

/** The dead letters of a journal, oldest first. */
export function* deadIn(journal: string, onDamage = ignore): Generator<Dead> {
  for (const letters of deadByFile(journal, onDamage)) yield* letters;
}

/** The same, one file after the other, each of which is read when its turn comes. */
export function* deadByFile(journal: string, onDamage = ignore): Generator<Dead[]> {
  for (const file of deadLetterFilesIn(fs, deadLettersOf(journal))) {
    const found = lettersIn(fs, file, (at) => onDamage({ of: 'dead', path: file, at }));
    yield found.map(({ line, letter }) => ({
      ...letter,
      state: 'dead',
      message: letter.message as JournaledMessage,
      file,
      line,
    }));
  }
}

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

/**
 * Erases waiting messages of clients that have ended, and all that had ended before. The rest stays for the next client.
 *
 * @param erasesDamage whether what cannot be read goes too
 * @throws NewerVersionProblem when a newer version wrote some; then nothing is dropped
 */
export async function dropWaiting(
  journal: string,
  isMeant: (message: JournaledMessage) => boolean,
  erasesDamage: boolean,
): Promise<Dropped> {
  for (const { path } of await foldersIn(fs, journal)) await checkVersion(path);
  const disk = ownedLike(fs, journal);
  const owner = OwnerFolder.create(disk, journal, undefined);
  let [messages, damagedBytes] = [0, 0];
  for (const path of await owner.adopt(async () => true)) {
    const folder = await RecoveredFolder.open(disk, path);
    const erased = await folder.erase((json) => isMeant(JSON.parse(json.toString())), erasesDamage);
    messages += erased.messages;
    damagedBytes += erased.damagedBytes;
    if (erased.left === 0) folder.remove();
  }
  await owner.release(false);
  return { messages, damagedBytes };
}

/** A folder that a client has just removed, or taken over, is checked by that client. @throws NewerVersionProblem, or the system's error */
async function checkVersion(folder: string): Promise<void> {
  try {
    await segmentsIn(fs, folder);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
}

/** A client that takes longer than this to answer is reported, in ms. */
const SLOW_MS = 2_000;

/**
 * Asks the living clients of a journal to drop messages, and waits.
 *
 * @param onSlow hears which process takes long to answer
 * @throws Error when one could not, or a newer version wrote some
 */
export async function dropOwned(
  journal: string,
  filter: MessageFilter,
  onSlow: (owner: ProcessIdentity | undefined) => void,
): Promise<Forgotten> {
  const sum = { waiting: 0, dead: 0, sent: 0 };
  for (const { path, owner: own, isAlive } of await foldersIn(fs, journal)) {
    if (!isAlive || path !== own) continue;
    const owner = noteIn(fs, path);
    const timer = setTimeout(() => onSlow(owner), SLOW_MS);
    const dropped = await requestDrop(path, filter).finally(() => clearTimeout(timer));
    if (dropped === undefined) continue;
    for (const what of ['waiting', 'dead', 'sent'] as const) sum[what] += dropped[what];
  }
  return sum;
}
