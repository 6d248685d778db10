import { plural } from '../../base/text/plural.js';
import { deadIn, dropWaiting, removeDamaged, removeDead } from '../../client/journal/inspect.js';
import { EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal.js';
import { checkFilter, checkJournal, countOwned, deadFilter, type JournalFilter, messageFilter } from './found.js';
import { adviseTakeOver, type TakeOverOptions, takeOverIfTold } from './take-over.js';

export interface DropJournalOptions extends JournalFilter, TakeOverOptions {}

/** Removes messages for good; fails where a living process owns some that are meant. */
export async function dropJournaled(
  path: string,
  { takeOver, ...filter }: DropJournalOptions,
  terminal: Terminal,
): Promise<number> {
  checkJournal(path);
  checkFilter(filter);
  takeOverIfTold(path, { takeOver });
  const dead = [...deadIn(path)].filter(deadFilter(filter));
  removeDead(dead);
  const ids = [filter.user, filter.anonymous, filter.previous, filter.messageId].filter((id) => id !== undefined);
  // What cannot be read cannot be told apart: it goes where it names whom it is about.
  if (filter.all || ids.length > 0) removeDamaged(path, ids);
  const isMeant = messageFilter(filter);
  const waiting = filter.code === undefined ? await dropWaiting(path, isMeant) : 0;
  const owned = filter.code === undefined ? await countOwned(path, isMeant) : 0;
  const text = `${plural(dead.length, 'dead letter')} and ${plural(waiting, 'waiting message')} dropped`;
  terminal.print(text, { dead: dead.length, waiting, owned });
  if (owned === 0) return EXIT.ok;
  const which = owned === 1 ? 'stays, as a living process owns it' : 'stay, as a living process owns them';
  terminal.note(`journal: ${plural(owned, 'message')} ${which}; end it first`, { owned });
  adviseTakeOver(path, terminal);
  return EXIT.failed;
}
