import * as fs from 'node:fs';
import type { ProcessIdentity } from '../../base/process/this-process.js';
import type { Forgotten } from '../queue/forgotten.js';
import { foldersIn, ownersOf } from './client-folders.js';
import { type DeadLetter, deadLetterFilesIn, deadLettersOf, eraseLines, lettersIn } from './dead-letter-file.js';
import { requestDrop } from './drop-request.js';
import { diskOf, type FileSystem, systemCodeOf } from './file-system.js';
import { checkFormat } from './journal-format.js';
import { type Dropped, LeftBatches, type LeftMessage } from './left-batches.js';
import { type JournaledMessage, type MessageFilter, matches } from './message-filter.js';
import { OwnerFolder } from './owner-folder.js';
import { noteIn, type State } from './owner-note.js';

/** A message that waits to be sent. */
export interface Waiting {
  readonly state: 'waiting';
  /** Whether the client that has accepted it lives, and sends it. */
  readonly owner: State;
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

/** A message that cannot be read any more. */
export interface Damage {
  readonly of: Waiting['state'] | Dead['state'];
  readonly path: string;
  /** The first byte of it there. */
  readonly at: number;
}

type OnDamage = (damage: Damage) => void;

const ignore: OnDamage = () => {};

/** Tells whether there is a journal at a path. @throws NewerVersionProblem, or the system's error for one that this user may not read */
export function isJournal(path: string, disk: Pick<FileSystem, 'accessSync' | 'readFileSync'> = fs): boolean {
  const isThere = [ownersOf(path), deadLettersOf(path)].some((folder) => {
    try {
      disk.accessSync(folder, fs.constants.R_OK | fs.constants.X_OK);
      return true;
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error))) return false;
      throw error;
    }
  });
  if (isThere) checkFormat(disk as FileSystem, path);
  return isThere;
}

/**
 * Reads the waiting messages of a journal, oldest first. Takes nothing over.
 *
 * @param onDamage hears of nothing that a living client owns, which may be writing it
 */
export async function* waitingIn(journal: string, onDamage = ignore): AsyncGenerator<Waiting> {
  for (const { path, state: owner } of await foldersIn(fs, journal)) {
    for await (const { json, batch, at } of peek(path)) {
      if (json !== undefined) yield { state: 'waiting', owner, message: JSON.parse(json.toString()) };
      else if (owner === 'ended') onDamage({ of: 'waiting', path: batch.path, at });
    }
  }
}

/** Reads the waiting messages of a folder; ends early when another client has just taken it over, or its own has delivered them. */
async function* peek(folder: string): AsyncGenerator<LeftMessage> {
  try {
    yield* LeftBatches.peek(fs, folder);
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
 * Erases waiting messages of clients that have ended. The rest stays for the next client.
 *
 * @param erasesDamage whether what cannot be read goes too
 * @throws the system's error
 */
export async function dropWaiting(
  journal: string,
  isMeant: (message: JournaledMessage) => boolean,
  erasesDamage: boolean,
): Promise<Dropped> {
  const disk = diskOf(fs, journal);
  const owner = new OwnerFolder(disk, journal, undefined);
  owner.openIfRoom();
  let [messages, damagedBytes] = [0, 0];
  try {
    for (const folder of await owner.ended()) {
      const path = owner.take(folder);
      if (path === undefined) continue;
      const left = await LeftBatches.open(disk, path, path === owner.path ? owner.firstNumber : undefined);
      const erased = await left.erase((json) => isMeant(JSON.parse(json.toString())), erasesDamage);
      messages += erased.messages;
      damagedBytes += erased.damagedBytes;
      if (left.pending === 0) left.remove();
    }
  } finally {
    await owner.release();
  }
  return { messages, damagedBytes };
}

/** A client that takes longer than this to answer is reported, in ms. */
const SLOW_MS = 2_000;

export interface DropOptions {
  readonly filter: MessageFilter;
  /** Whether what cannot be read goes too. */
  readonly erasesDamage: boolean;
  /** Hears which process takes long to answer. */
  onSlow(owner: ProcessIdentity | undefined): void;
}

/** Asks the living clients of a journal to drop messages, and waits. @throws Error when one could not */
async function dropOwned(journal: string, filter: MessageFilter, onSlow: DropOptions['onSlow']): Promise<Forgotten> {
  const sum = { waiting: 0, dead: 0, sent: 0 };
  for (const { path, owner: own, state } of await foldersIn(fs, journal)) {
    if (state === 'ended' || path !== own) continue;
    const { owner } = noteIn(fs, path);
    const timer = setTimeout(() => onSlow(owner), SLOW_MS);
    const dropped = await requestDrop(path, filter).finally(() => clearTimeout(timer));
    if (dropped === undefined) continue;
    for (const what of ['waiting', 'dead', 'sent'] as const) sum[what] += dropped[what];
  }
  return sum;
}

/** Erases waiting messages of all clients. @throws Error when a living one could not, or the system's error */
export async function dropAllWaiting(
  journal: string,
  { filter, erasesDamage, onSlow }: DropOptions,
): Promise<Forgotten & Dropped> {
  const sum = { waiting: 0, dead: 0, sent: 0, messages: 0, damagedBytes: 0 };
  const isMeant = (message: JournaledMessage): boolean => matches(filter, message);
  for (let known = await livingIn(journal), isMissed = true; isMissed; ) {
    const dropped = {
      ...(await dropOwned(journal, filter, onSlow)),
      ...(await dropWaiting(journal, isMeant, erasesDamage)),
    };
    for (const what of Object.keys(sum) as (keyof typeof sum)[]) sum[what] += dropped[what];
    const before = known;
    known = await livingIn(journal);
    // A living client may have taken over what an ended one had left, after it was asked.
    isMissed = [...known].some((path) => !before.has(path));
  }
  return sum;
}

/** The folders whose owners live. */
async function livingIn(journal: string): Promise<Set<string>> {
  return new Set((await foldersIn(fs, journal)).flatMap(({ path, state }) => (state === 'living' ? path : [])));
}
