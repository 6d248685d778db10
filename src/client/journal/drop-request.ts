import { Lifeline } from '../../base/process/lifeline.js';
import type { Forgotten } from '../queue/forgotten.js';
import type { IsMeant } from './message-filter.js';
import { isById, isFilter, type MessageSelection, matches } from './message-filter.js';
import { SOCKET } from './owner-note.js';

/** The version of the protocol, in which each side sends one line of JSON. */
const VERSION = 1;

/** The longest time that a client may take to answer, in ms. It waits for its requests in flight. */
const ANSWER_MS = 5 * 60_000;

/** Tells whether a drop with this filter also erases damaged bytes. */
export const erasesDamage = (filter: MessageSelection): boolean => isById(filter) || Object.keys(filter).length === 0;

/** Asks a living client to drop messages. Returns undefined if it does not answer. @throws Error when the client failed */
export async function requestDrop(owner: string, filter: MessageSelection): Promise<Forgotten | undefined> {
  const line = await Lifeline.ask(owner, SOCKET, JSON.stringify({ version: VERSION, drop: filter }), ANSWER_MS);
  if (line === undefined) return undefined;
  const { error, forgotten } = JSON.parse(line) as { error?: string; forgotten?: Forgotten };
  if (error !== undefined) throw new Error(error);
  return forgotten;
}

/** Answers a request to drop messages. */
export async function answerDrop(
  request: string,
  forget: (isMeant: IsMeant, erasesDamage: boolean) => Promise<Forgotten>,
): Promise<string> {
  try {
    const filter = filterOf(request);
    return JSON.stringify({ forgotten: await forget((message) => matches(filter, message), erasesDamage(filter)) });
  } catch (error) {
    return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
  }
}

/** @throws Error for a request of another version */
function filterOf(request: string): MessageSelection {
  const { version, drop } = JSON.parse(request) as { version?: unknown; drop?: unknown };
  if (version !== VERSION || !isFilter(drop)) {
    throw new Error('the client does not know this request: use the command of the version that the client has');
  }
  return drop;
}
