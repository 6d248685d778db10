import * as fs from 'node:fs';
import type { ProcessIdentity } from '../../base/process/this-process.js';
import type { Forgotten } from '../queue/forgotten.js';
import { foldersIn, ownersOf } from './client-folders.js';
import { type DeadMessage, deadLetterFilesIn, deadLettersOf, eraseLetters, lettersIn } from './dead-letter-file.js';
import { requestDrop } from './drop-request.js';
import { diskOf, type FileSystem } from './file-system.js';
import { checkFormat } from './journal-format.js';
import { type Dropped, LeftBatches, type LeftMessage } from './left-batches.js';
import { type JournaledMessage, type MessageSelection, matches } from './message-filter.js';
import { OwnerFolder } from './owner-folder.js';
import { noteIn, type OwnerState, stateOf } from './owner-note.js';
import { systemCodeOf } from './system-errors.js';

/** A message that waits to be sent. */
export interface WaitingMessage {
  readonly state: 'waiting';
  /** The state of the client that owns the message. A living client sends it. */
  readonly owner: OwnerState;
  readonly message: JournaledMessage;
}

/** A message that cannot be read any more. */
export interface JournalDamage {
  readonly of: WaitingMessage['state'] | DeadMessage['state'];
  readonly path: string;
  /** The position of the message's first byte in the file. */
  readonly at: number;
}

type OnDamage = (damage: JournalDamage) => void;

const ignore: OnDamage = () => {};

/** Tells whether a path is a journal. @throws JournalProblem, or the system's error if this user may not read it */
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
 * Reads the waiting messages of a journal, oldest first. It takes no folder over.
 *
 * @param onDamage called for damage in folders of ended clients; a living client may still be writing its files
 */
export async function* waitingIn(journal: string, onDamage = ignore): AsyncGenerator<WaitingMessage> {
  for (const { path, state: owner } of await foldersIn(fs, journal)) {
    for await (const { json, file, at } of peek(path)) {
      if (json !== undefined) yield { state: 'waiting', owner, message: JSON.parse(json.toString()) };
      else if (owner === 'ended') onDamage({ of: 'waiting', path: file.path, at });
    }
  }
}

/** Reads the waiting messages of a folder. Ends early if another client takes it over or its own delivers the messages. */
async function* peek(folder: string): AsyncGenerator<LeftMessage> {
  try {
    yield* LeftBatches.peek(fs, folder);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
}

/** Reads the dead letters of a journal, oldest first. */
export function* deadIn(journal: string, onDamage = ignore): Generator<DeadMessage> {
  for (const letters of deadByFile(journal, onDamage)) yield* letters;
}

/** Reads the dead letters of a journal as one list per file. It reads a file only when the caller asks for the next list. */
export function* deadByFile(journal: string, onDamage = ignore): Generator<DeadMessage[]> {
  for (const file of deadLetterFilesIn(fs, deadLettersOf(journal))) {
    yield lettersIn(fs, file, (at) => onDamage({ of: 'dead', path: file, at }));
  }
}

/** Erases dead letters that were replayed, so that no file holds their text any more. @throws the system's error */
export function removeDead(letters: readonly DeadMessage[]): void {
  for (const file of new Set(letters.map((letter) => letter.file))) {
    const meant = new Set(letters.flatMap((letter) => (letter.file === file ? letter.index : [])));
    eraseLetters(fs, file, (_, index) => meant.has(index));
  }
}

/**
 * Erases waiting messages of clients that have ended. The other messages stay for the next client.
 *
 * @param erasesDamage whether to erase also what cannot be read
 * @throws the system's error
 */
export async function dropWaiting(
  journal: string,
  isMeant: (message: JournaledMessage) => boolean,
  erasesDamage: boolean,
  disk: FileSystem = diskOf(fs, journal),
): Promise<Dropped> {
  // This owner never answers another drop. That one waits until this drop ends, and then takes over the folders that it left.
  const owner = new OwnerFolder(disk, journal, undefined, () => new Promise(() => {}));
  owner.openIfRoom();
  let [messages, damagedBytes] = [0, 0];
  const dropIn = async (path: string): Promise<void> => {
    const left = await LeftBatches.open(disk, path, owner);
    const goes = (json: Buffer | undefined): boolean =>
      json === undefined ? erasesDamage : isMeant(JSON.parse(json.toString()));
    for await (const [, erased] of left.erase(goes)) {
      for (const { json, bytes } of erased) {
        if (json === undefined) damagedBytes += bytes.length;
        else messages++;
      }
    }
  };
  const failures: unknown[] = [];
  try {
    for (const folder of await owner.ended()) {
      try {
        const path = owner.take(folder);
        if (path !== undefined) await dropIn(path);
      } catch (error) {
        // The messages in the other folders must still be erased.
        failures.push(error);
      }
    }
  } finally {
    await owner.release();
  }
  if (failures.length > 0) throw failures[0];
  return { messages, damagedBytes };
}

/** A client that takes longer than this to answer is reported, in ms. */
const SLOW_MS = 2_000;

export interface DropOptions {
  readonly filter: MessageSelection;
  /** Whether to erase also what cannot be read. */
  readonly erasesDamage: boolean;
  /** Called with a process that takes long to answer. */
  onSlow(owner: ProcessIdentity | undefined): void;
}

export interface AllDropped extends Forgotten {
  readonly damagedBytes: number;
  /** The processes, as far as known, of living clients that did not answer. They may have messages that are only in memory. */
  readonly unanswered: readonly (ProcessIdentity | undefined)[];
}

/**
 * Erases waiting messages of all clients. It asks living clients to drop their own, and waits for their answers.
 *
 * @throws Error if a living client could not, or the system's error
 */
export async function dropAllWaiting(
  journal: string,
  { filter, erasesDamage, onSlow }: DropOptions,
): Promise<AllDropped> {
  const sum = { waiting: 0, dead: 0, sent: 0, damagedBytes: 0 };
  const unanswered: (ProcessIdentity | undefined)[] = [];
  const isMeant = (message: JournaledMessage): boolean => matches(filter, message);
  for (let known = await livingIn(journal), isMissed = true; isMissed; ) {
    // Each round asks all clients again.
    unanswered.length = 0;
    for (const { path, owner, state } of await foldersIn(fs, journal)) {
      if (state === 'ended' || path !== owner) continue;
      const { owner: slow } = noteIn(fs, path);
      const timer = setTimeout(() => onSlow(slow), SLOW_MS);
      const dropped = await requestDrop(path, filter).finally(() => clearTimeout(timer));
      for (const what of ['waiting', 'dead', 'sent'] as const) sum[what] += dropped?.[what] ?? 0;
      // The messages of a client that ended instead are now those of an ended one.
      if (dropped === undefined && (await stateOf(fs, path)) !== 'ended') unanswered.push(slow);
    }
    const { messages, damagedBytes } = await dropWaiting(journal, isMeant, erasesDamage);
    sum.waiting += messages;
    sum.damagedBytes += damagedBytes;
    const before = known;
    known = await livingIn(journal);
    // A living client may have taken over a folder of an ended client after it answered.
    isMissed = [...known].some((path) => !before.has(path));
  }
  return { ...sum, unanswered };
}

/** Returns the folders whose owners live. */
async function livingIn(journal: string): Promise<Set<string>> {
  return new Set((await foldersIn(fs, journal)).flatMap(({ path, state }) => (state === 'living' ? path : [])));
}
