import { createHash } from 'node:crypto';

// The key of an audience is its trait, so two of the same trait cannot both be written.

export const AUDIENCES = 'audience/';
export const STAGED = 'staged/';

export const audienceKey = (trait: string): string => `${AUDIENCES}${encodeURIComponent(trait)}`;
export const membersPrefix = (trait: string): string => `member/${encodeURIComponent(trait)}/`;
export const stagedPrefix = (trait: string, sync: string): string => `${STAGED}${encodeURIComponent(trait)}/${sync}/`;

/** A user in a list of the key-value store: the key after the list's prefix, and what else the id is read from. */
export interface MemberKey {
  readonly place: string;
  readonly rest: string;
}

/** Longer ones are kept by their hash: with a long name in front they would pass the 1,000 bytes of a key. */
const MAX_PLAIN_LENGTH = 300;

// `encodeURIComponent` writes no such character.
const HASHED = '#';

/** Places are plain ASCII, so that JavaScript orders them as the key-value store does. */
export function memberKeyOf(userId: string): MemberKey {
  const place = encodeURIComponent(userId);
  if (place.length <= MAX_PLAIN_LENGTH) return { place, rest: '' };
  return { place: HASHED + createHash('sha256').update(userId).digest('hex'), rest: userId };
}

export const userIdOf = ({ place, rest }: MemberKey): string =>
  place.startsWith(HASHED) ? rest : decodeURIComponent(place);
