import { createHash } from 'node:crypto';

/** 96 bits, in base64: no two users of a store ever share them. */
const LENGTH = 16;

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

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, LENGTH);
