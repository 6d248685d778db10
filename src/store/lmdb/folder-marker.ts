import { access, chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreDamagedError } from '../store-errors.js';

/** A file that marks a folder with data. Without it, a folder that lost its data file would silently become a new store. */
export const MARKER = 'eventferry-store.txt';

const TEXT = 'This folder is a store of eventferry. Its data is in data.mdb.\n';
const OWNER_ONLY = 0o600;

/** @throws StoreDamagedError if the folder was used before and its data file is missing or empty */
export async function refuseEmptied(path: string, file: string): Promise<void> {
  const bytes = await sizeOf(join(path, file));
  if (bytes > 0 || !(await exists(join(path, MARKER)))) return;
  const what = bytes === 0 ? 'it is empty' : 'it is missing';
  throw new StoreDamagedError(
    join(path, file),
    `${what}, but ${MARKER} beside it says that this folder was used before`,
  );
}

/** If the marker cannot be written, the store works without it. */
export async function markUsed(path: string, owner?: { readonly uid: number; readonly gid: number }): Promise<void> {
  const marker = join(path, MARKER);
  await writeFile(marker, TEXT, { flag: 'wx', mode: OWNER_ONLY }).catch(() => undefined);
  if (owner !== undefined) await chown(marker, owner.uid, owner.gid).catch(() => undefined);
}

/** Resolves to -1 if there is no such file. */
const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => -1,
  );

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
