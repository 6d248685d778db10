import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import { allChunks, changesFrom, readChunk } from './chunks.js';
import { isAmong, usersOf } from './erased-users.js';
import { decodeAll, type KeptAttempt, namesOf } from './kept-attempt.js';

export interface EraseOptions {
  /** The number of the deletion, as `ErasedUsers.count` returned it. */
  readonly deletion: number;
  /** The sources to which the deletion is limited. @default all */
  readonly sources?: readonly string[] | undefined;
  /** Aborting it stops the erasure early. */
  readonly signal: AbortSignal;
  /** Returns the change that counts that many further attempts. It is written together with their removal. */
  counted(attempts: number): Change;
  /** Called with the number of attempts that were removed from a chunk. */
  onErased(attempts: number): void;
}

/** Up to this many ids are searched for in the text of a chunk before it is parsed. */
const FEW = 50;

/** Removes the attempts for events of these users at every destination. If stopped early, a second call removes the rest. */
export async function eraseUsers(
  keyValues: KeyValueStore,
  users: readonly string[],
  { signal, sources, counted, onErased }: Omit<EraseOptions, 'deletion'>,
): Promise<void> {
  const erased = new Set(users);
  const isErased = ({ message, source }: KeptAttempt): boolean =>
    isAmong(source, sources) && usersOf(message).some((user) => erased.has(user));
  const needles = users.map((user) => JSON.stringify(user));
  const mayName = (text: string): boolean => needles.length > FEW || needles.some((needle) => text.includes(needle));
  /** Returns how many attempts it removed. */
  const eraseIn = async (place: string): Promise<number> => {
    for (;;) {
      const { indexed, chunk, text } = await readChunk(keyValues, place);
      if (chunk === undefined || text === undefined || !mayName(text)) return 0;
      const all = decodeAll(text);
      const attempts = all.map((attempt) => (attempt !== null && isErased(attempt) ? null : attempt));
      const left = attempts.filter((attempt) => attempt !== null).length;
      if (left === chunk.attempts) return 0;
      const names = attempts.flatMap((attempt) => namesOf(attempt?.message));
      const contents = { text: JSON.stringify(attempts), ids: idsIn(attempts), names };
      const changes = changesFrom({ ...chunk, attempts: left }, contents, idsIn(all));
      // The write fails if another deletion or a cleanup has changed the chunk since it was read.
      const removed = chunk.attempts - left;
      if (await keyValues.writeIf(indexed, [...changes, counted(removed)])) return removed;
    }
  };
  for await (const { place } of allChunks(keyValues)) {
    if (signal.aborted) return;
    const attempts = await eraseIn(place);
    if (attempts > 0) onErased(attempts);
  }
}

const idsIn = (attempts: readonly (KeptAttempt | null)[]): string[] => attempts.flatMap((attempt) => attempt?.id ?? []);
