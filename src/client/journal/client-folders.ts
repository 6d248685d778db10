import { basename, dirname, join } from 'node:path';
import { type FileSystem, listed } from './file-system.js';
import { disown, isUnknown, NOTE, SOCKET, type State, stateOf } from './owner-note.js';

/** A folder gets its name when it has all that shows that its client lives. Until then others leave it a while, in ms. */
const DRAFT_PREFIX = '.new-';
const DRAFT_MS = 10_000;

/** Stands in the name of a folder between the client that has written it and the one that has taken it over. */
const TAKEN = '@';
const NAME = /^(\.new-)?[\w-]+(@[\w-]+)?$/;

/** The folder of a journal in which each client has one. */
export const ownersOf = (journal: string): string => join(journal, 'owners');

/** Where a client makes its folder, until it gets its name. */
export const draftPath = (journal: string, name: string): string => join(ownersOf(journal), DRAFT_PREFIX + name);

/** The client that sends the messages of a folder, by the folder's name: the one that has taken it over last, or else its writer. */
export const ownerOf = (folder: string): string => folder.slice(folder.indexOf(TAKEN) + 1);

/** The path of a folder once a client has taken it over. */
export const takenPath = (folder: string, owner: string): string =>
  join(dirname(folder), `${basename(folder).replace(DRAFT_PREFIX, '').split(TAKEN, 1)[0]}${TAKEN}${owner}`);

/** The folders of the clients of a journal, by their names, oldest first. What somebody else has put there is left alone. */
export const namesIn = (fs: FileSystem, owners: string): string[] =>
  listed(fs, owners).filter((name) => NAME.test(name) && isFolder(fs, join(owners, name)));

function isFolder(fs: FileSystem, path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // One that cannot be looked at now is told when it is read.
    return true;
  }
}

/** Tells whether a client is about to give a folder its name. */
export function isNewDraft(fs: FileSystem, folder: string): boolean {
  if (!basename(folder).startsWith(DRAFT_PREFIX)) return false;
  return Date.now() - (fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) < DRAFT_MS;
}

/** A folder of a journal, that of its owner, and whether the owner lives. */
export interface FoundFolder {
  readonly path: string;
  readonly owner: string;
  readonly state: State;
}

/** Lists the folders of a journal, oldest first. */
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
 * The folders of owners that cannot be checked, because they belong to another machine or container and have no socket. Only an
 * operator can know that these have ended.
 *
 * @throws the system's error
 */
export function unknownIn(fs: FileSystem, journal: string): string[] {
  const names = namesIn(fs, ownersOf(journal)).filter((name) => ownerOf(name) === name);
  return names.map((name) => join(ownersOf(journal), name)).filter((folder) => isUnknown(fs, folder));
}

/** Takes their folders from them. @throws the system's error */
export function disownUnknown(fs: FileSystem, journal: string): void {
  for (const folder of unknownIn(fs, journal)) disown(fs, folder);
}

/** Removes the folder of a client that has left no message. What somebody else has put there stays, and the folder with it. */
export function removeFolder(fs: FileSystem, folder: string): void {
  try {
    for (const name of [NOTE, SOCKET]) fs.rmSync(join(folder, name), { force: true });
    fs.rmdirSync(folder);
  } catch {
    // The next client finds that nothing is left in it, and tries again.
  }
}
