import * as fs from 'node:fs';
import type { ProcessIdentity } from '../../base/process/this-process.js';
import { formatCount, plural } from '../../base/text/plural.js';
import { disownUnknown } from '../../client/journal/client-folders.js';
import { erasesDamage as erasesDamageOf } from '../../client/journal/drop-request.js';
import { dropDead } from '../../client/journal/erase.js';
import { type AllDropped, dropAllWaiting } from '../../client/journal/inspect-journal.js';
import { describeProcess } from '../../store/store-errors.js';
import { EXIT } from '../cli-error.js';
import { mayRemove, type RemovalOptions } from '../terminal/confirm.js';
import type { Terminal } from '../terminal/terminal.js';
import { checkFilter, countIn, countOwned, filterOf, type JournalFilter, meantBy } from './found.js';
import { whileAlone } from './replay-lock.js';
import { adviseTakeOver } from './take-over.js';

export type DropJournalOptions = JournalFilter & {
  /** Treat clients that cannot be checked as ended. Only an operator can know that they have. @default false */
  readonly takeOver?: boolean | undefined;
};

const NONE: AllDropped = { waiting: 0, dead: 0, sent: 0, damagedBytes: 0, unanswered: [] };

/** Removes messages permanently if an option or the user at the terminal confirms it. @throws CliError if there is no filter */
export async function dropIfSure(
  path: string,
  options: DropJournalOptions & RemovalOptions,
  terminal: Terminal,
): Promise<number> {
  if (!(await mayRemove(options, ['Drop', 'dropped'], () => meantIn(path, options), terminal))) return EXIT.ok;
  return dropJournaled(path, options, terminal);
}

/** Counts the messages that a drop would remove, including those that living clients would remove themselves. */
async function meantIn(path: string, filter: JournalFilter): Promise<{ text: string; record: object }> {
  checkFilter(filter);
  const kinds = { waiting: filter.code === undefined, dead: true };
  const { dead, ended: waiting, living, hidden } = await countIn(path, kinds, meantBy(filter));
  const owned = living + hidden;
  return { text: describe(dead, waiting + owned), record: { dead, waiting, owned } };
}

const describe = (dead: number, waiting: number): string =>
  `${plural(dead, 'dead letter')} and ${plural(waiting, 'waiting message')}`;

/** Removes messages permanently. Living clients remove their own; the command fails if one does not answer. */
export async function dropJournaled(
  path: string,
  { takeOver, ...filter }: DropJournalOptions,
  terminal: Terminal,
): Promise<number> {
  checkFilter(filter);
  if (takeOver) disownUnknown(fs, path);
  const isMeant = meantBy(filter);
  const hasWaiting = filter.code === undefined;
  const wanted = filterOf(filter);
  const erasesDamage = hasWaiting && erasesDamageOf(wanted);
  const onSlow = (owner?: ProcessIdentity): void => tellSlow(owner, terminal);
  const all = hasWaiting ? await dropAllWaiting(path, { filter: wanted, erasesDamage, onSlow }) : NONE;
  const dead = await whileAlone(path, () => dropDead(fs, path, { isMeant, erasesDamage }), terminal);
  const owned = hasWaiting ? await countOwned(path, isMeant) : 0;
  const counts = {
    dead: all.dead + dead.messages,
    waiting: all.waiting,
    sent: all.sent,
    damagedBytes: dead.damagedBytes + all.damagedBytes,
    owned,
  };
  terminal.print(`${describe(counts.dead, counts.waiting)} dropped`, counts);
  tellRest(counts, terminal);
  for (const owner of all.unanswered) tellUnanswered(owner, terminal);
  if (owned === 0 && all.unanswered.length === 0) return EXIT.ok;
  adviseTakeOver(path, terminal);
  return EXIT.failed;
}

/** Prints the client for which the command waits. A suspended client answers only after it resumes. */
function tellSlow(owner: ProcessIdentity | undefined, terminal: Terminal): void {
  const { who, record: waitingFor } = described(owner);
  terminal.note(`journal: waiting up to five minutes for ${who} to drop its messages`, { waitingFor });
}

function tellUnanswered(owner: ProcessIdentity | undefined, terminal: Terminal): void {
  const { who, record: unanswered } = described(owner);
  const text = `${who} does not answer, and may have messages in memory; end it, then run the command again`;
  terminal.note(`journal: ${text}`, { unanswered });
}

function described(owner: ProcessIdentity | undefined): { who: string; record: object | undefined } {
  if (owner === undefined) return { who: 'a living process', record: undefined };
  const [host = ''] = owner.place.split(' ');
  const record = { pid: owner.pid, host };
  return { who: describeProcess({ ...record, isOurs: false }), record };
}

function tellRest(
  { sent, damagedBytes, owned }: Record<'sent' | 'damagedBytes' | 'owned', number>,
  terminal: Terminal,
): void {
  if (damagedBytes > 0) {
    const text = `${formatCount(damagedBytes)} damaged bytes erased, because they may belong to anyone`;
    terminal.note(`journal: ${text}`, { damagedBytes });
  }
  if (sent > 0) {
    const which =
      sent === 1 ? 'was on its way, and the collector has it' : 'were on their way, and the collector has them';
    terminal.note(`journal: ${plural(sent, 'message')} ${which}`, { sent });
  }
  if (owned > 0) {
    const which = owned === 1 ? 'stays, as a living process owns it' : 'stay, as a living process owns them';
    terminal.note(`journal: ${plural(owned, 'message')} ${which} and does not answer; end it first`, { owned });
  }
}
