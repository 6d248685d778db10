import * as fs from 'node:fs';
import type { ProcessIdentity } from '../../base/process/this-process.js';
import { formatCount, plural } from '../../base/text/plural.js';
import { erasesDamage as erasesDamageOf } from '../../client/journal/drop-request.js';
import { dropDead } from '../../client/journal/erase.js';
import { type AllDropped, dropAllWaiting } from '../../client/journal/inspect-journal.js';
import { describeProcess } from '../../store/store-errors.js';
import { EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';
import {
  checkFilter,
  checkJournal,
  countOwned,
  deadFilter,
  filterOf,
  type JournalFilter,
  journaledIn,
  messageFilter,
} from './found.js';
import { whileNobodyReplays } from './replay-lock.js';
import { adviseTakeOver, type TakeOverOptions, takeOverIfTold } from './take-over.js';

export interface DropJournalOptions extends JournalFilter, TakeOverOptions {}

const NONE: AllDropped = { waiting: 0, dead: 0, sent: 0, damagedBytes: 0, unanswered: [] };

/**
 * Counts the messages that a drop would remove, with those that living clients would remove themselves.
 *
 * @throws CliError if there is no journal or no filter
 */
export async function meantIn(path: string, filter: JournalFilter): Promise<{ text: string; record: object }> {
  checkJournal(path);
  checkFilter(filter);
  const counts = { dead: 0, waiting: 0, owned: 0 };
  const isMeant = deadFilter(filter);
  for await (const found of journaledIn(path, { waiting: filter.code === undefined, dead: true })) {
    if (!isMeant(found)) continue;
    const isOwned = found.state === 'waiting' && found.owner !== 'ended';
    counts[isOwned ? 'owned' : found.state]++;
  }
  const { dead, waiting, owned } = counts;
  return { text: describe(dead, waiting + owned), record: counts };
}

const describe = (dead: number, waiting: number): string =>
  `${plural(dead, 'dead letter')} and ${plural(waiting, 'waiting message')}`;

/** Removes messages permanently. Living clients remove their own; the command fails if one does not answer. */
export async function dropJournaled(
  path: string,
  { takeOver, ...filter }: DropJournalOptions,
  terminal: Terminal,
): Promise<number> {
  checkJournal(path);
  checkFilter(filter);
  takeOverIfTold(path, { takeOver });
  const isMeant = messageFilter(filter);
  const isLetterMeant = deadFilter(filter);
  const erasesDamage = filter.code === undefined && erasesDamageOf(filterOf(filter));
  const options = {
    filter: filterOf(filter),
    erasesDamage,
    onSlow: (owner?: ProcessIdentity) => tellSlow(owner, terminal),
  };
  const all = filter.code === undefined ? await dropAllWaiting(path, options) : NONE;
  const dead = await whileNobodyReplays(path, terminal, () =>
    dropDead(fs, path, {
      isMeant: isLetterMeant,
      erasesDamage,
    }),
  );
  const owned = filter.code === undefined ? await countOwned(path, isMeant) : 0;
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
