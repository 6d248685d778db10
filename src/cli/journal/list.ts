import { printable } from '../../base/text/printable.js';
import { deadIn, waitingIn } from '../../client/journal/inspect-journal.js';
import type { JournaledMessage } from '../../client/journal/message-filter.js';
import { EXIT, refuseUnused } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { DamageFound } from './damage.js';
import { checkJournal, checkValues, deadFilter, type JournalFilter, messageFilter } from './found.js';

export interface ListJournalOptions extends JournalFilter {
  readonly dead?: boolean | undefined;
  readonly waiting?: boolean | undefined;
}

/** Prints waiting messages and dead letters, one line each. */
export async function listJournal(path: string, options: ListJournalOptions, terminal: Terminal): Promise<number> {
  checkJournal(path);
  const { dead = false, waiting = false, ...filter } = options;
  checkValues(filter);
  if (waiting && !dead) refuseUnused({ '--code': filter.code }, 'goes without --waiting: what waits has not failed');
  const damage = new DamageFound();
  const counts = {
    ...((waiting || !dead) &&
      filter.code === undefined && { waiting: await listWaiting(path, filter, damage, terminal) }),
    ...((dead || !waiting) && { dead: listDead(path, filter, damage, terminal) }),
    ...(damage.count > 0 && { damaged: damage.count }),
  };
  damage.tell(terminal);
  const text = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
  terminal.note(text.join(', '), counts);
  return EXIT.ok;
}

async function listWaiting(
  path: string,
  filter: JournalFilter,
  damage: DamageFound,
  terminal: Terminal,
): Promise<number> {
  const isMeant = messageFilter(filter);
  let count = 0;
  for await (const { owner, message } of waitingIn(path, damage.add)) {
    if (!isMeant(message)) continue;
    count++;
    const isOwned = owner !== 'ended';
    const note = isOwned ? 'waiting, a living process owns it' : 'waiting';
    terminal.print(`${lineOf(message)}  ${note}`, { state: 'waiting', isOwned, message });
  }
  return count;
}

function listDead(path: string, filter: JournalFilter, damage: DamageFound, terminal: Terminal): number {
  const isMeant = deadFilter(filter);
  let count = 0;
  for (const letter of deadIn(path, damage.add)) {
    if (!isMeant(letter)) continue;
    count++;
    const { at, code, error, message } = letter;
    terminal.print(`${lineOf(message)}  dead since ${at}: ${printable(error)} (${code})`, {
      state: 'dead',
      at,
      code,
      error,
      message,
    });
  }
  return count;
}

const lineOf = ({ type, messageId, timestamp, userId, event }: JournaledMessage): string =>
  [timestamp, type, event, userId, messageId]
    .filter((part) => part !== undefined)
    .map((part) => printable(part))
    .join('  ');
