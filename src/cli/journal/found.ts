import { type JournaledMessage, type MessageFilter, matches } from '../../client/journal/filter.js';
import { type Dead, isJournal, waitingIn } from '../../client/journal/inspect.js';
import { CliError, unusable } from '../cli-error.js';

/** Selects messages of a journal. */
export interface JournalFilter {
  readonly type?: string | undefined;
  readonly event?: string | undefined;
  readonly user?: string | undefined;
  readonly anonymous?: string | undefined;
  readonly previous?: string | undefined;
  readonly messageId?: string | undefined;
  readonly code?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly all?: boolean | undefined;
}

const FILTERS = ['type', 'event', 'user', 'anonymous', 'previous', 'messageId', 'code', 'from', 'to'] as const;

/** @throws CliError when there is no journal at the path */
export function checkJournal(path: string): void {
  if (!isJournal(path)) throw unusable(`no journal at ${path}; give the folder that the client has as \`journal\``);
}

/** @throws CliError if no option selects messages, or one is empty, as of a script whose variable is not set */
export function checkFilter(filter: JournalFilter): void {
  for (const name of FILTERS) checkGiven(name, filter[name]);
  // Other options of the command, such as `--json`, select nothing.
  if (filter.all || FILTERS.some((name) => filter[name] !== undefined)) return;
  throw new CliError(
    'no filter; give --type, --event, --user, --anonymous, --previous, --message-id, --code, --from or --to, or --all',
  );
}

/**
 * Converts the options to the filter of the journal.
 *
 * @throws CliError if a time is invalid
 */
export function filterOf({
  type,
  event,
  user,
  anonymous,
  previous,
  messageId,
  ...times
}: JournalFilter): MessageFilter {
  const from = timeOf('--from', times.from);
  const to = timeOf('--to', times.to);
  const all = { type, event, userId: user, anonymousId: anonymous, previousId: previous, messageId, from, to };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** @throws CliError if a time is invalid */
export function messageFilter(filter: JournalFilter): (message: JournaledMessage) => boolean {
  const wanted = filterOf(filter);
  return (message) => matches(wanted, message);
}

/** @throws CliError if a time is invalid */
export function deadFilter({ code, ...filter }: JournalFilter): (letter: Pick<Dead, 'code' | 'message'>) => boolean {
  const isMeant = messageFilter(filter);
  return (letter) => (code === undefined || letter.code === code) && isMeant(letter.message);
}

function checkGiven(name: string, value: string | undefined): void {
  if (value === undefined || value.trim() !== '') return;
  throw new CliError(`--${name === 'messageId' ? 'message-id' : name}: expected a value, got ${JSON.stringify(value)}`);
}

/** Counts the selected messages that living processes own. */
export async function countOwned(path: string, isMeant: (message: JournaledMessage) => boolean): Promise<number> {
  let count = 0;
  for await (const { isOwned, message } of waitingIn(path)) if (isOwned && isMeant(message)) count++;
  return count;
}

function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new CliError(`${option}: expected a time in ISO 8601, got ${text}`);
  return ms;
}
