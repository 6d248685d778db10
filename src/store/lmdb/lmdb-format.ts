import type { RootDatabase } from 'lmdb';
import { StoreFormatError } from '../store-errors.js';

/** The format of the tables in a folder. Raise it when the previous version would misread them. */
export const FORMAT = 2;

/** The table with the number of the format. It is the first table in a folder, and contains no customer data. */
const ABOUT = 'service/about';

/**
 * Writes the number of the format if the folder is empty.
 *
 * @throws StoreFormatError if the folder has another number or none; nothing was written then, and no other table was opened.
 */
export async function assertFormat(db: RootDatabase, path: string): Promise<void> {
  const tables = [...db.getKeys()].map(String);
  const isEmpty = tables.every((name) => name === ABOUT);
  const found = isEmpty || tables.includes(ABOUT) ? await formatIn(db, isEmpty) : undefined;
  if (found !== FORMAT) throw new StoreFormatError(path, found === undefined ? undefined : String(found), FORMAT);
}

async function formatIn(db: RootDatabase, isEmpty: boolean): Promise<number | undefined> {
  const about = db.openDB<number, string>({ name: ABOUT, encoding: 'json' });
  if (isEmpty && about.get('format') === undefined) {
    await about.put('format', FORMAT);
    await about.flushed;
  }
  return about.get('format');
}
