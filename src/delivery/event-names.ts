import { hash } from 'node:crypto';
import { isWellFormed } from '../base/platform/node.js';

/** The prefix of ids that include a source. A message id that itself starts with it is always kept with its source. */
const SOURCED = '//';

/**
 * Returns the id under which stores and queues know a message: its own, unless that is malformed or looks like one with a source.
 * Messages of one source with different ids never share it; nor do messages of two sources whose ids include the source.
 */
export const eventId = (messageId: string, source: string | undefined): string =>
  messageId.startsWith(SOURCED) || !isWellFormed(messageId) ? sourcedId(messageId, source) : messageId;

/** Returns the id with its source in front: `//server/order-1`. Different pairs always give different results. */
export const sourcedId = (messageId: string, source = ''): string =>
  `${SOURCED}${escaped(source).replaceAll('/', '%2F')}/${escaped(messageId)}`;

/** An event in a store, or what is kept of it. */
interface NamedEvent {
  readonly id: string;
  readonly source?: string | null | undefined;
}

/** Returns a stored event's id with its source, even if the store has it without. Events of different sources never share it. */
export const fullId = ({ id, source }: NamedEvent): string =>
  id.startsWith(SOURCED) ? id : sourcedId(id, source ?? undefined);

/** Returns the part of an id that stays the same whichever source sent the message. */
export const messageIn = (id: string): string =>
  id.startsWith(SOURCED) ? id.slice(id.indexOf('/', SOURCED.length) + 1) : escaped(id);

const escaped = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll(/\p{Surrogate}/gu, (half) => `%u${half.charCodeAt(0).toString(16)}`);

/** The length of a user key: 96 bits in Base64, enough that no two users of a store share one. */
export const USER_KEY_LENGTH = 16;

/**
 * Returns a short key for a message's user. It is the same in every process for every message with that `userId` or, without one,
 * that `anonymousId`. It does not reveal the id, and differs between a user id and an equal anonymous id. Returns undefined if
 * both ids are absent, `null` or `''`.
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

/** Returns the keys of every user who may have this id: as a user id and as an anonymous id. */
export const userKeys = (id: string): string[] => [hashOf(`user ${id}`), hashOf(`anonymous ${id}`)];

const isId = (id: unknown): id is string => typeof id === 'string' && id !== '';

const hashOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, USER_KEY_LENGTH);
