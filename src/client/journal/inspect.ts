import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type DeadLetter, deadLetterFilesIn, deadLettersOf, lettersIn, noteGone } from './dead-letter-file.js';
import { foldersIn, OwnerFolder, ownersIn } from './owner-folder.js';
import type { StoredMessage } from './record.js';
import { RecoveredFolder } from './recovered-folder.js';

/** A message as it was sent, as far as a person asks for it. */
export interface JournaledMessage {
  readonly type: string;
  readonly messageId: string;
  readonly timestamp: string;
  readonly userId?: string;
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
export const isJournal = (path: string): boolean => existsSync(join(path, 'owners')) || existsSync(deadLettersOf(path));

/** Reads the waiting messages of a journal, oldest first. Takes nothing over. */
export async function* waitingIn(journal: string): AsyncGenerator<Waiting> {
  for (const { path, isAlive } of await ownersIn(journal)) {
    for (const folder of foldersIn(path)) {
      for await (const { json } of peek(folder)) {
        if (json !== undefined) yield { state: 'waiting', isOwned: isAlive, message: JSON.parse(json.toString()) };
      }
    }
  }
}

/** Reads the waiting messages of a folder; ends early when its living client has just delivered them. @throws NewerVersionProblem */
async function* peek(folder: string): AsyncGenerator<StoredMessage> {
  try {
    await RecoveredFolder.check(folder);
    yield* RecoveredFolder.peek(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** The dead letters of a journal, oldest first. */
export function* deadIn(journal: string): Generator<Dead> {
  for (const file of deadLetterFilesIn(deadLettersOf(journal))) {
    for (const { line, letter } of lettersIn(file)) {
      yield { ...letter, state: 'dead', message: letter.message as JournaledMessage | null, file, line };
    }
  }
}

/** Notes that dead letters were replayed or dropped, so that no reader finds them again. */
export function removeDead(letters: readonly Dead[]): void {
  const lines = new Map<string, number[]>();
  for (const { file, line } of letters) lines.set(file, [...(lines.get(file) ?? []), line]);
  for (const [file, numbers] of lines) noteGone(file, numbers);
}

/**
 * Drops waiting messages of clients that have ended.
 *
 * @returns how many
 * @throws NewerVersionProblem when a newer version wrote some; then nothing is dropped
 */
export async function dropWaiting(journal: string, isMeant: (message: JournaledMessage) => boolean): Promise<number> {
  for (const { path } of await ownersIn(journal)) {
    for (const folder of foldersIn(path)) await RecoveredFolder.check(folder);
  }
  const owner = OwnerFolder.create(journal);
  let dropped = 0;
  let left = 0;
  for (const path of await owner.adopt(async () => true)) {
    const folder = await RecoveredFolder.open(path);
    for await (const { json, sequence } of folder.messages()) {
      if (json === undefined || !isMeant(JSON.parse(json.toString()))) continue;
      folder.noteEnded([sequence]);
      dropped++;
    }
    left += folder.pending;
    if (folder.pending === 0) folder.remove();
    else {
      folder.write();
      folder.close();
    }
  }
  await owner.release(left > 0);
  return dropped;
}
