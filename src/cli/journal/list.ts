import { printable } from '../../base/text/printable.js';
import type { JournaledMessage } from '../../client/journal/message-filter.js';
import { refuseUnused } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { DamageFound } from './damage.js';
import { checkValues, described, type JournalFilter, journaledIn, meantBy } from './found.js';

export interface ListJournalOptions extends JournalFilter {
  readonly dead?: boolean | undefined;
  readonly waiting?: boolean | undefined;
}

/** Prints waiting messages and dead letters, one line each. */
export async function listJournal(path: string, options: ListJournalOptions, terminal: Terminal): Promise<void> {
  const { dead = false, waiting = false, ...filter } = options;
  checkValues(filter);
  if (waiting && !dead)
    refuseUnused({ '--code': filter.code }, 'cannot be combined with --waiting, because waiting messages have no code');
  const damage = new DamageFound();
  const kinds = { waiting: (waiting || !dead) && filter.code === undefined, dead: dead || !waiting };
  const isMeant = meantBy(filter);
  const counts = { ...(kinds.waiting && { waiting: 0 }), ...(kinds.dead && { dead: 0 }) };
  for await (const found of journaledIn(path, kinds, damage.add)) {
    if (!isMeant(found)) continue;
    counts[found.state] = (counts[found.state] ?? 0) + 1;
    const { text, record } = described(found);
    terminal.print(`${lineOf(found.message)}  ${text}`, record);
  }
  damage.tell(terminal);
  const all = { ...counts, ...(damage.count > 0 && { damaged: damage.count }) };
  const texts = Object.entries(all).map(([state, count]) => `${count} ${state}`);
  terminal.note(texts.join(', '), all);
}

const lineOf = ({ type, messageId, timestamp, userId, event }: JournaledMessage): string =>
  [timestamp, type, event, userId, messageId]
    .filter((part) => part !== undefined)
    .map((part) => printable(part))
    .join('  ');
