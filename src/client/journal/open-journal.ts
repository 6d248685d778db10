import { LoadError } from '../../base/errors/errors.js';
import { requireInstalled } from '../../base/process/installed.js';
import type { OpenJournal } from './journal.js';

/**
 * Opens a journal. Only a client with a journal loads this code, and loads it at once: the journal must write the messages of the
 * first calls in the same turn of the event loop.
 *
 * @throws LoadError, JournalError
 */
export const openJournal: OpenJournal = (options, dependencies) => load().Journal.open(options, dependencies);

function load(): typeof import('./journal.js') {
  try {
    return requireInstalled()('./dist/journal.cjs');
  } catch (cause) {
    throw new LoadError('the journal of eventferry', cause);
  }
}
