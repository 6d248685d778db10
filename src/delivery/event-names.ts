import { createHash } from 'node:crypto';
import { isWellFormed } from '../base/platform/node.js';

/** No id of a message begins so where it is kept: one that does is kept with its source before it. */
const SOURCED = '//';

/**
 * The id by which stores and queues know a message: its own, where that is well-formed and does not look like one with a
 * source. Two messages of one source never share it, and neither do two of different sources that both have a source in it.
 */
export const eventId = (messageId: string, source: string | undefined): string =>
  messageId.startsWith(SOURCED) || !isWellFormed(messageId) ? sourcedId(messageId, source) : messageId;

/** The id with its source before it: `//server/order-1`. Different for every two pairs, whatever text they are. */
export const sourcedId = (messageId: string, source = ''): string =>
  `${SOURCED}${escaped(source).replaceAll('/', '%2F')}/${escaped(messageId)}`;

/** An event of a store, or what is kept of one. */
interface Named {
  readonly id: string;
  readonly source?: string | null | undefined;
}

/** The id of a stored event with its source before it, also where the store has it without: events of two sources never share it. */
export const fullId = ({ id, source }: Named): string =>
  id.startsWith(SOURCED) ? id : sourcedId(id, source ?? undefined);

/** Returns the part that the ids of a message have in common, whatever sources have sent it. */
export const messageIn = (id: string): string =>
  id.startsWith(SOURCED) ? id.slice(id.indexOf('/', SOURCED.length) + 1) : escaped(id);

const escaped = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll(/\p{Surrogate}/gu, (half) => `%u${half.charCodeAt(0).toString(16)}`);

/** The length of a user's name: 96 bits, in base64, which no two users of a store ever share. */
export const USER_KEY_LENGTH = 16;

/**
 * A short name for the user of a message: the same for every message with that `userId` or, without one, with that `anonymousId`,
 * in every process. It does not show the id, and a user's id and an equal anonymous one have different names. Undefined for a
 * message of nobody, in which both are absent, `null` or `''`.
 */
export function userKey({
  userId,
  anonymousId,
}: {
  readonly userId?: unknown;
  readonly anonymousId?: unknown;
}): string | undefined {
  if (isId(userId)) return hashOf(`user ${userId}`);
  return isId(anonymousId) ? hashOf(`anonymous ${anonymousId}`) : undefined;
}

/** The names of all users who may have that id: one who is known by it, and one who is not known. */
export const userKeys = (id: string): string[] => [hashOf(`user ${id}`), hashOf(`anonymous ${id}`)];

const isId = (id: unknown): id is string => typeof id === 'string' && id !== '';

const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, USER_KEY_LENGTH);
