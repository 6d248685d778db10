import type { RootDatabase } from 'lmdb';
import { StoreFormatError } from '../store-errors.js';

/** The format of the tables in a folder. Raise it when the version before would misread them. */
export const FORMAT = 1;

/** The table in which the number stands. It is the first that a folder has, and nothing that anybody sent is in it. */
const ABOUT = 'service/about';

/**
 * Puts the number down where there is nothing yet.
 *
 * @throws StoreFormatError where what is there has another number or none: nothing was written then, and no other table opened.
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
