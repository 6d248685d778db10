import { createHash } from 'node:crypto';

// An audience is kept as the trait whose value is `true`, so audiences and computed traits have the same keys: a record, an
// entry for each user, and what is staged for a change. The key of a record is its trait, so two of the same trait cannot both
// be written.

export const AUDIENCES = 'audience/';
export const STAGED = 'staged/';

export const audienceKey = (trait: string): string => `${AUDIENCES}${encodeURIComponent(trait)}`;
export const membersPrefix = (trait: string): string => `member/${encodeURIComponent(trait)}/`;
export const stagedPrefix = (trait: string, sync: string): string => `${STAGED}${encodeURIComponent(trait)}/${sync}/`;

/** A user in a list of the key-value store: the key after the list's prefix, and the id itself where that key is a hash. */
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

/** The entry of a user in a list: the value as canonical JSON, undefined for none, and the id where the key is a hash. */
export interface ListedValue {
  readonly json: string | undefined;
  readonly rest: string;
}

// JSON has no line break of its own, and `rest` may have any character.
export const entryText = ({ json = '', rest }: ListedValue): string => `${json}\n${rest}`;

export function readEntry(text: string): ListedValue {
  const end = text.indexOf('\n');
  return { json: text.slice(0, end) || undefined, rest: text.slice(end + 1) };
}
