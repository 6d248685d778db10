import { LoadError } from '../../errors.js';
import type { OpenJournal } from './journal.js';

/**
 * Opens a journal. Only a client with a journal loads this code, and loads it at once: the journal must write the messages of the
 * first calls in the same turn of the event loop.
 *
 * @throws LoadError, JournalError
 */
export const openJournal: OpenJournal = (options, dependencies) => load().Journal.open(options, dependencies);

/** Beside this file, or beside the folder of chunks that it is in. */
const PLACES = ['./journal.cjs', '../journal.cjs'];

function load(): typeof import('./journal.js') {
  try {
    const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);
    return require(PLACES.find((place) => isThere(require, place)) ?? installed(require));
  } catch (cause) {
    throw new LoadError('the journal of eventferry', cause);
  }
}

function isThere(require: NodeJS.Require, place: string): boolean {
  try {
    require.resolve(place);
    return true;
  } catch {
    return false;
  }
}

/** Where a bundler has moved this file, it is in the installed package. */
function installed(require: NodeJS.Require): string {
  const { dirname, join } = process.getBuiltinModule('node:path');
  return join(dirname(require.resolve('eventferry/package.json')), 'dist', 'journal.cjs');
}
