import { formatCount, plural } from '../../base/text/plural.js';
import { dropDead, dropWaiting, removeDamaged } from '../../client/journal/inspect.js';
import { EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal.js';
import { checkFilter, checkJournal, countOwned, deadFilter, type JournalFilter, messageFilter } from './found.js';

const NONE = { messages: 0, damagedBytes: 0 };

/** Removes messages for good; fails where a living process owns some that are meant. */
export async function dropJournaled(path: string, filter: JournalFilter, terminal: Terminal): Promise<number> {
  checkJournal(path);
  checkFilter(filter);
  const erasesDamage = isOfSomebody(filter);
  const isMeant = messageFilter(filter);
  const dead = await dropDead(path, deadFilter(filter), erasesDamage);
  const waiting = filter.code === undefined ? await dropWaiting(path, isMeant, erasesDamage) : NONE;
  const damagedBytes = dead.damagedBytes + waiting.damagedBytes + (erasesDamage ? removeDamaged(path) : 0);
  const owned = filter.code === undefined ? await countOwned(path, isMeant) : 0;
  const text = `${plural(dead.messages, 'dead letter')} and ${plural(waiting.messages, 'waiting message')} dropped`;
  terminal.print(text, { dead: dead.messages, waiting: waiting.messages, damagedBytes, owned });
  if (damagedBytes > 0) {
    terminal.note(`journal: ${formatCount(damagedBytes)} damaged bytes erased, as nobody can tell whose they were`, {
      damagedBytes,
    });
  }
  if (owned === 0) return EXIT.ok;
  const which = owned === 1 ? 'stays, as a living process owns it' : 'stay, as a living process owns them';
  terminal.note(`journal: ${plural(owned, 'message')} ${which}; end it first`, { owned });
  return EXIT.failed;
}

/** Whether it asks for all, or for what is of somebody: damage may hold text of theirs, so it goes too. */
const isOfSomebody = ({ all, user, anonymous, previous, messageId }: JournalFilter): boolean =>
  all === true || [user, anonymous, previous, messageId].some((id) => id !== undefined);
