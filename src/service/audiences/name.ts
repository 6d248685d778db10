import { describe } from '../../base/text/describe.js';
import { syncErrors } from './audience-errors.js';
import type { ListKind, NamedList } from './named.js';

/** The maximum number of bytes, in UTF-8, of a name and of the trait that it makes. Both are part of keys, which are limited. */
export const MAX_NAME_BYTES = 200;

/** @throws SyncError if the name is empty, malformed or too long, or makes no trait */
export function named(kind: ListKind, given: unknown): NamedList {
  if (typeof given !== 'string' || given === '' || /\p{Surrogate}/u.test(given)) {
    throw syncErrors.name(kind, 'non-empty, well-formed text', describe(given));
  }
  // The same name typed on two keyboards may consist of different bytes.
  const name = given.normalize('NFC');
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_NAME_BYTES) throw syncErrors.name(kind, `at most ${MAX_NAME_BYTES} bytes`, `${bytes} bytes`);
  const trait = traitOf(name);
  if (trait === '') throw syncErrors.name(kind, 'text with a letter or a digit', describe(name));
  if (Buffer.byteLength(trait) > MAX_NAME_BYTES) {
    throw syncErrors.name(kind, `one whose trait has at most ${MAX_NAME_BYTES} bytes`, describe(name));
  }
  return { kind, name, trait };
}

/**
 * The standard traits of a user whose names are snake_case. Destinations expect a text or a number in them.
 *
 * @see https://segment.com/docs/connections/spec/identify/#traits
 */
const STANDARD_TRAITS: ReadonlySet<string> = new Set([
  ...['address', 'age', 'avatar', 'birthday', 'company', 'description', 'email', 'gender', 'id', 'name', 'phone'],
  ...['plan', 'title', 'username', 'website'],
]);

/** @throws SyncError if members would get `true` or `false` as their email or another standard trait */
export function assertNotStandard({ kind, name, trait }: NamedList): void {
  if (!STANDARD_TRAITS.has(trait)) return;
  const received = `${describe(name)}, which makes the standard trait ${trait}; to use it anyway, allow a standard trait`;
  throw syncErrors.name(kind, 'one whose trait is not a standard trait', received);
}

// A word begins at an upper-case letter after a lower-case one or a digit, as in `highValue`, and at the last upper-case letter
// of an acronym that a word follows, as in `HTTPServer`. The plural s of `VIPs` begins no word.
const AFTER_LOWER = /(?<=[\p{Ll}\p{N}]\p{M}*)(?=[\p{Lu}\p{Lt}])/gu;
const AFTER_ACRONYM = /(?<=[\p{Lu}\p{Lt}]\p{M}*)(?=[\p{Lu}\p{Lt}]\p{M}*\p{Ll})(?!\p{Lu}s(?!\p{Ll}))/gu;

// A combining mark belongs to the letter before it, as the vowel signs of Devanagari do.
const WORDS = /(?:[\p{L}\p{N}][\p{Mn}\p{Mc}]*)+/gu;

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Returns the trait that a name makes: the name in snake_case. Letters and digits of every script are kept, normalized with NFKC
 * and without their case. Everything else between two words becomes one `_`, and a digit at the beginning gets a `_` before it.
 * The result is empty if the name has neither letters nor digits. The trait of a trait is the same trait.
 */
export function traitOf(name: string): string {
  const parted = plain(name).replace(AFTER_LOWER, '_').replace(AFTER_ACRONYM, '_');
  const words = folded(folded(parted)).match(WORDS) ?? [];
  const trait = words.join('_');
  return /^\p{N}/u.test(trait) ? `_${trait}` : trait;
}

/** Unifies compatible characters, and removes invisible ones: joiners, soft hyphens and emoji selectors. */
const plain = (text: string): string => text.normalize('NFKC').replace(IGNORABLE, '').normalize('NFKC');

/**
 * Folds the case fully, for which JavaScript has no function: it converts the text to upper and back to lower case, so that `ß`
 * becomes `ss` as in `STRASSE`, and all forms of sigma become the same. Callers apply it twice, because a character that becomes
 * several may have to be folded again.
 */
const folded = (text: string): string => plain(text.toUpperCase().toLowerCase().replaceAll('ς', 'σ'));
