import { createHash } from 'node:crypto';
import type { Listed } from './given-users.js';

// An audience is kept as the trait whose value is `true`, so audiences and computed traits have the same keys: a record, an
// entry for each user, and what is staged for a change. The key of a record is its trait, so two of the same trait cannot both
// be written.

export const AUDIENCES = 'audience/';
export const STAGED = 'staged/';

// Sorts after every place, all of which are printable ASCII.
export const AFTER_ALL = '\u007f';

export const audienceKey = (trait: string): string => `${AUDIENCES}${encodeURIComponent(trait)}`;
export const membersPrefix = (trait: string): string => `member/${encodeURIComponent(trait)}/`;
export const stagedPrefix = (trait: string, sync: string): string => `${STAGED}${encodeURIComponent(trait)}/${sync}/`;

/** Longer ones are kept by their hash: with a long name in front they would pass the 1,000 bytes of a key. */
const MAX_PLAIN_LENGTH = 300;

// `encodeURIComponent` writes no such character.
const HASHED = '#';

/** The key of a user in a list, after the list's prefix. Places are plain ASCII. */
export function placeOf(userId: string): string {
  const place = encodeURIComponent(userId);
  return place.length <= MAX_PLAIN_LENGTH ? place : HASHED + createHash('sha256').update(userId).digest('hex');
}

/** The entry at a user's place: the value, and the id where the place is a hash. JSON has no line break of its own. */
export const entryAt = (place: string, { userId, json = '' }: Listed): string =>
  `${json}\n${place.startsWith(HASHED) ? userId : ''}`;

export function listedAt(place: string, entry: string): Listed {
  const end = entry.indexOf('\n');
  const userId = place.startsWith(HASHED) ? entry.slice(end + 1) : decodeURIComponent(place);
  return { userId, json: entry.slice(0, end) || undefined };
}
