import { plural } from '../../base/text/plural.js';
import { deadIn, waitingIn } from '../../client/journal/inspect.js';
import { EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal.js';
import { checkFilter, checkJournal, deadFilter, type JournalFilter, messageFilter } from './found.js';

/** The number of messages that a drop would remove. A living client removes those that it owns itself. */
export interface Meant {
  readonly dead: number;
  readonly waiting: number;
  readonly owned: number;
}

/**
 * Counts the messages that a drop would remove.
 *
 * @throws CliError if there is no journal or no filter
 */
export async function meantIn(path: string, filter: JournalFilter): Promise<Meant> {
  checkJournal(path);
  checkFilter(filter);
  const counts = { dead: [...deadIn(path)].filter(deadFilter(filter)).length, waiting: 0, owned: 0 };
  if (filter.code !== undefined) return counts;
  const isMeant = messageFilter(filter);
  for await (const { isOwned, message } of waitingIn(path)) {
    if (isMeant(message)) counts[isOwned ? 'owned' : 'waiting']++;
  }
  return counts;
}

/** Formats the counts: `2 dead letters and 1 waiting message`. */
export const describeMeant = ({ dead, waiting, owned }: Meant): string =>
  `${plural(dead, 'dead letter')} and ${plural(waiting + owned, 'waiting message')}`;

/** Prints what a drop would remove. */
export async function printMeant(path: string, filter: JournalFilter, terminal: Terminal): Promise<number> {
  const meant = await meantIn(path, filter);
  terminal.print(`${describeMeant(meant)} would be dropped`, { ...meant, dryRun: true });
  return EXIT.ok;
}
