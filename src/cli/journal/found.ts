import * as fs from 'node:fs';
import { printable } from '../../base/text/printable.js';
import { ownersOf } from '../../client/journal/client-folders.js';
import type { DeadMessage } from '../../client/journal/dead-letter-file.js';
import type { FileSystem } from '../../client/journal/file-system.js';
import {
  deadIn,
  isJournal,
  type JournalDamage,
  type WaitingMessage,
  waitingIn,
} from '../../client/journal/inspect-journal.js';
import { type JournaledMessage, type MessageSelection, matches } from '../../client/journal/message-filter.js';
import { describeProblem, JournalProblem, systemCodeOf } from '../../client/journal/system-errors.js';
import { toIso } from '../../protocol/timestamp.js';
import { flawInId } from '../../protocol/user-id.js';
import { CliError, reasonOf, unusable } from '../cli-error.js';

/** The options that select messages by a field, with the name of the field. */
const FIELDS = {
  type: 'type',
  event: 'event',
  user: 'userId',
  anonymous: 'anonymousId',
  previous: 'previousId',
  messageId: 'messageId',
} as const;
const IDS: readonly string[] = ['user', 'anonymous', 'previous', 'messageId'];
const FILTERS = [...(Object.keys(FIELDS) as (keyof typeof FIELDS)[]), 'code', 'from', 'to'] as const;

/** Selects messages of a journal. */
export type JournalFilter = { readonly [K in (typeof FILTERS)[number]]?: string | undefined } & {
  readonly all?: boolean | undefined;
};

/**
 * Runs a command on a journal.
 *
 * @throws CliError when there is no journal at the path, or with one line that says what to do if the file system refuses something
 */
export async function onJournal<T>(path: string, act: () => Promise<T>, disk: FileSystem = fs): Promise<T> {
  try {
    if (isJournal(path, disk)) return await act();
  } catch (error) {
    throw explained(path, error, disk);
  }
  throw unusable(`no journal at ${path}; give the folder that the client has as \`journal\``);
}

/** Turns an error of the file system into one line that says what to do. Returns any other error unchanged. */
export function explained(path: string, error: unknown, disk: FileSystem = fs): unknown {
  if (error instanceof JournalProblem) return unusable(error.message, error);
  if (!/^E[A-Z0-9]+$/.test(systemCodeOf(error))) return error;
  if (!['EACCES', 'EPERM'].includes(systemCodeOf(error))) return unusable(describeProblem(path, error).message, error);
  return unusable(`the journal at ${path} cannot be read (${reasonOf(error)}); ${userWhoMayRead(path, disk)}`, error);
}

/** Says which user may read a journal. Without permission to read a folder, this user can still see its owner. */
export function userWhoMayRead(path: string, disk: FileSystem = fs): string {
  for (const folder of [ownersOf(path), path]) {
    try {
      return `run the command as the user with the id ${disk.statSync(folder).uid}, who owns ${folder}`;
    } catch {
      // The folder above it may still be visible.
    }
  }
  return 'run the command as the user of the program that writes it';
}

/** @throws CliError if no option selects messages, or one cannot select any */
export function checkFilter(filter: JournalFilter): void {
  checkValues(filter);
  // Other options of the command, such as `--json`, select nothing.
  if (filter.all || FILTERS.some((name) => filter[name] !== undefined)) return;
  throw new CliError(
    'no filter; give --type, --event, --user, --anonymous, --previous, --message-id, --code, --from or --to, or --all',
  );
}

/** @throws CliError if an option is empty, for example from an unset variable in a script, or if `to` is not after `from` */
export function checkValues(filter: JournalFilter): void {
  for (const name of FILTERS) checkGiven(name, filter[name]);
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = filterOf(filter);
  if (from >= to) throw new CliError(`--to: expected a time after --from (${filter.from}), got ${filter.to}`);
}

function checkGiven(name: string, value: string | undefined): void {
  if (value === undefined) return;
  const flaw = IDS.includes(name) ? flawInId(value) : undefined;
  const received = value.trim() === '' ? JSON.stringify(value) : flaw;
  if (received === undefined) return;
  throw new CliError(`--${name === 'messageId' ? 'message-id' : name}: expected a value, got ${received}`);
}

/**
 * Converts the options to the filter of the journal.
 *
 * @throws CliError if a time is invalid
 */
export function filterOf(filter: JournalFilter): MessageSelection {
  const fields = Object.entries(FIELDS).map(([option, field]) => [field, filter[option as keyof typeof FIELDS]]);
  const times = (['from', 'to'] as const).map((name) => [name, timeOf(`--${name}`, filter[name])]);
  return Object.fromEntries([...fields, ...times].filter(([, value]) => value !== undefined));
}

function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(toIso(text) ?? '');
  if (Number.isNaN(ms)) throw new CliError(`${option}: expected an ISO 8601 time with Z or an offset, got ${text}`);
  return ms;
}

/** Tells whether a message is selected. A waiting message has no code. */
export type IsFoundMeant = (found: { readonly code?: string; readonly message: JournaledMessage }) => boolean;

/** @throws CliError if a time is invalid */
export function meantBy(filter: JournalFilter): IsFoundMeant {
  const wanted = filterOf(filter);
  return ({ code, message }) => (filter.code === undefined || filter.code === code) && matches(wanted, message);
}

/** Reads the messages of a journal: those that wait, then the dead letters, each oldest first. */
export async function* journaledIn(
  path: string,
  { waiting, dead }: { readonly waiting: boolean; readonly dead: boolean },
  onDamage?: (damage: JournalDamage) => void,
): AsyncGenerator<WaitingMessage | DeadMessage> {
  if (waiting) yield* waitingIn(path, onDamage);
  if (dead) yield* deadIn(path, onDamage);
}

/** Counts the selected messages of a journal: dead letters, and those that wait by the state of their owner. */
export async function countIn(
  path: string,
  kinds: Parameters<typeof journaledIn>[1],
  isMeant: IsFoundMeant = () => true,
  onDamage?: (damage: JournalDamage) => void,
): Promise<Record<'dead' | WaitingMessage['owner'], number>> {
  const counts = { dead: 0, living: 0, ended: 0, hidden: 0 };
  for await (const found of journaledIn(path, kinds, onDamage)) {
    if (isMeant(found)) counts[found.state === 'dead' ? 'dead' : found.owner]++;
  }
  return counts;
}

/** Counts the selected waiting messages whose owners live, or may live. */
export async function countOwned(path: string, isMeant?: IsFoundMeant): Promise<number> {
  const { living, hidden } = await countIn(path, { waiting: true, dead: false }, isMeant);
  return living + hidden;
}

/** Describes the state of a message as a text, and the message as a record for `--json`. */
export function described(found: WaitingMessage | DeadMessage): { text: string; record: object } {
  const { state, message } = found;
  if (state === 'waiting') {
    const isOwned = found.owner !== 'ended';
    return { text: isOwned ? 'waiting, a living process owns it' : 'waiting', record: { state, isOwned, message } };
  }
  const { at, code, error } = found;
  return { text: `dead since ${at}: ${printable(error)} (${code})`, record: { state, at, code, error, message } };
}
