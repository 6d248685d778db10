import { createHash } from 'node:crypto';
import type { Listed } from './given-users.js';

// An audience is stored as a trait whose value is `true`, so audiences and computed traits have the same keys: one for the
// record, one for each user, and those of a staged list. The key of a record is its trait, so there cannot be two records with
// the same trait.

export const AUDIENCES = 'audience/';
export const STAGED = 'staged/';

// Sorts after every place, because places are printable ASCII.
export const AFTER_ALL = '\u007f';

export const audienceKey = (trait: string): string => `${AUDIENCES}${encodeURIComponent(trait)}`;
export const membersPrefix = (trait: string): string => `member/${encodeURIComponent(trait)}/`;
export const stagedPrefix = (trait: string, sync: string): string => `${STAGED}${encodeURIComponent(trait)}/${sync}/`;

/** Longer ids are replaced by their hash: together with a long name they would exceed the 1,000 bytes of a key. */
const MAX_PLAIN_LENGTH = 300;

// `encodeURIComponent` never writes this character.
const HASHED = '#';

/** Returns the key of a user, without the prefix of the list. It is plain ASCII. */
export function placeOf(userId: string): string {
  const place = encodeURIComponent(userId);
  return place.length <= MAX_PLAIN_LENGTH ? place : HASHED + createHash('sha256').update(userId).digest('hex');
}

/** Returns the entry at a user's place: the value and, if the place is a hash, the id. The JSON itself has no line break. */
export const entryAt = (place: string, { userId, json = '' }: Listed): string =>
  `${json}\n${place.startsWith(HASHED) ? userId : ''}`;

export function listedAt(place: string, entry: string): Listed {
  const end = entry.indexOf('\n');
  const userId = place.startsWith(HASHED) ? entry.slice(end + 1) : decodeURIComponent(place);
  return { userId, json: entry.slice(0, end) || undefined };
}
