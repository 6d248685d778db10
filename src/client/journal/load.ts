import { LoadError } from '../../errors.js';
import type { OpenJournal } from './journal.js';

/**
 * Opens a journal with code that only a client with a journal loads, and loads at once: what the first calls accept is to be
 * written in the turn of the event loop in which they are made.
 *
 * @throws LoadError, JournalError
 */
export const openJournal: OpenJournal = (options, dependencies) => load().Journal.open(options, dependencies);

function load(): typeof import('./journal.js') {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    const { dirname, join } = process.getBuiltinModule('node:path');
    const require = createRequire(import.meta.url);
    return require(join(dirname(require.resolve('eventferry/package.json')), 'dist', 'journal.cjs'));
  } catch (cause) {
    throw new LoadError('the journal of eventferry', cause);
  }
}
