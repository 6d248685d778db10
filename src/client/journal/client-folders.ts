import { basename, dirname, join } from 'node:path';
import { type FileSystem, listed, removeFile } from './file-system.js';
import { disown, isUnknown, NOTE, type OwnerState, SOCKET, stateOf } from './owner-note.js';

/** A client makes its folder under this prefix, and renames it when it is complete. Others wait this long for that, in ms. */
const DRAFT_PREFIX = '.new-';
const DRAFT_MS = 10_000;

/** In the name of a folder, this separates the client that wrote it from the client that took it over. */
const TAKEN = '@';

/** The time at which a client made its folder, and random digits. A folder of any other name belongs to somebody else. */
const NAME = /^(\.new-)?[0-9a-z]{9}-[0-9a-f]{8}(@[0-9a-z]{9}-[0-9a-f]{8})?$/;

/** The folder of a journal that holds the folders of all its clients. */
export const ownersOf = (journal: string): string => join(journal, 'owners');

/** The path at which a client makes its folder before it renames it. */
export const draftPath = (journal: string, name: string): string => join(ownersOf(journal), DRAFT_PREFIX + name);

/** Returns, from a folder's name, the client that sends its messages: the one that took it over last, or else its writer. */
export const ownerOf = (folder: string): string => folder.slice(folder.indexOf(TAKEN) + 1);

/** The path of a folder once a client has taken it over. */
export const takenPath = (folder: string, owner: string): string =>
  join(dirname(folder), `${basename(folder).replace(DRAFT_PREFIX, '').split(TAKEN, 1)[0]}${TAKEN}${owner}`);

/** Lists the names of the clients' folders in a journal, oldest first. It ignores everything that is not such a folder. */
export const namesIn = (fs: FileSystem, owners: string): string[] =>
  listed(fs, owners, 'folders').filter((name) => NAME.test(name));

/** Tells whether a client may still be making this folder. */
export function isNewDraft(fs: FileSystem, folder: string): boolean {
  if (!basename(folder).startsWith(DRAFT_PREFIX)) return false;
  return Date.now() - (fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) < DRAFT_MS;
}

/** A client's folder in a journal, the folder of its owner, and whether the owner lives. */
export interface FoundFolder {
  readonly path: string;
  readonly owner: string;
  readonly state: OwnerState;
}

/** Lists the clients' folders in a journal, oldest first. */
export async function foldersIn(fs: FileSystem, journal: string): Promise<FoundFolder[]> {
  const owners = ownersOf(journal);
  const found: FoundFolder[] = [];
  for (const name of namesIn(fs, owners)) {
    const owner = join(owners, ownerOf(name));
    found.push({ path: join(owners, name), owner, state: await stateOf(fs, owner) });
  }
  return found;
}

/**
 * Lists the folders of owners that cannot be checked, because they belong to another machine or container and have no socket.
 * Only an operator can know that these owners have ended.
 *
 * @throws the system's error
 */
export function unknownIn(fs: FileSystem, journal: string): string[] {
  const names = namesIn(fs, ownersOf(journal)).filter((name) => ownerOf(name) === name);
  return names.map((name) => join(ownersOf(journal), name)).filter((folder) => isUnknown(fs, folder));
}

/** Marks the folders of these owners as ended, so that other clients take them over. @throws the system's error */
export function disownUnknown(fs: FileSystem, journal: string): void {
  for (const folder of unknownIn(fs, journal)) disown(fs, folder);
}

/** Removes the folder of a client that left no message. If the folder holds anything else, it stays. */
export function removeFolder(fs: FileSystem, folder: string): void {
  try {
    for (const name of [NOTE, SOCKET]) removeFile(fs, join(folder, name));
    fs.rmdirSync(folder);
  } catch {
    // The next client finds the folder empty and tries again.
  }
}
