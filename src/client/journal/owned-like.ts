import { constants } from 'node:fs';
import type { FileSystem } from './file-system.js';

/**
 * The disk on which all that root makes in a journal of somebody else belongs to that user, who could not read it otherwise. New folders
 * have the mode of the journal's folder, but that nobody outside of its group may enter them.
 *
 * @throws the system's error
 */
export function ownedLike(fs: FileSystem, journal: string): FileSystem {
  const isRoot = process.geteuid?.() === 0;
  const owner = isRoot ? fs.statSync(journal, { throwIfNoEntry: false }) : undefined;
  return owner === undefined || owner.uid === 0 ? fs : givenTo(fs, owner);
}

export function givenTo(
  fs: FileSystem,
  { uid, gid, mode }: Readonly<Record<'uid' | 'gid' | 'mode', number>>,
): FileSystem {
  // A link of the user's gets the owner itself, and never its target.
  const give = (path: unknown): void => fs.lchownSync(String(path), uid, gid);
  const own: Partial<FileSystem> = {
    mkdirSync: ((path: string) => {
      fs.mkdirSync(path, { mode: mode & 0o770 });
      give(path);
    }) as FileSystem['mkdirSync'],
    openSync(path, flags, bits) {
      const handle = fs.openSync(path, flags, bits);
      if (Number(flags) & constants.O_CREAT) give(path);
      return handle;
    },
    writeFileSync(path, ...rest) {
      fs.writeFileSync(path, ...rest);
      give(path);
    },
    appendFileSync(path, ...rest) {
      fs.appendFileSync(path, ...rest);
      give(path);
    },
    // A socket is made by no call of the file system, and closed to others by this one.
    chmodSync: give,
  };
  return { ...fs, ...own };
}
