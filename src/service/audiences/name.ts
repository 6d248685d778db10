import { describe } from '../../base/text/describe.js';
import { SyncNameError } from './audience-errors.js';
import type { Kind, Named } from './named.js';

/** The most bytes a name, and the trait it makes, may have in UTF-8. Both stand in keys, which have a limit. */
export const MAX_NAME_BYTES = 200;

/** @throws SyncNameError */
export function named(kind: Kind, given: unknown): Named {
  if (typeof given !== 'string' || given === '' || /\p{Surrogate}/u.test(given)) {
    throw new SyncNameError(kind, 'non-empty, well-formed text', describe(given));
  }
  // Two keyboards may write the same name in different bytes.
  const name = given.normalize('NFC');
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_NAME_BYTES) throw new SyncNameError(kind, `at most ${MAX_NAME_BYTES} bytes`, `${bytes} bytes`);
  const trait = traitOf(name);
  if (trait === '') throw new SyncNameError(kind, 'text with a letter or a digit', describe(name));
  if (Buffer.byteLength(trait) > MAX_NAME_BYTES) {
    throw new SyncNameError(kind, `one whose trait has at most ${MAX_NAME_BYTES} bytes`, describe(name));
  }
  return { kind, name, trait };
}

/**
 * Standard traits of a user whose names are snake_case: destinations expect a text or a number there.
 *
 * @see https://segment.com/docs/connections/spec/identify/#traits
 */
const STANDARD_TRAITS: ReadonlySet<string> = new Set([
  ...['address', 'age', 'avatar', 'birthday', 'company', 'description', 'email', 'gender', 'id', 'name', 'phone'],
  ...['plan', 'title', 'username', 'website'],
]);

/** @throws SyncNameError when members would get `true` or `false` as their email, or as another standard trait */
export function assertNotStandard({ kind, name, trait }: Named): void {
  if (!STANDARD_TRAITS.has(trait)) return;
  const received = `${describe(name)}, which makes the standard trait ${trait}; to make it all the same, allow a standard trait`;
  throw new SyncNameError(kind, 'one that makes a trait of its own', received);
}

// Lower or digit before upper, `highValue`; and an upper that begins a word behind an acronym, `HTTPServer`. The s of
// `VIPs` begins none.
const AFTER_LOWER = /(?<=[\p{Ll}\p{N}]\p{M}*)(?=[\p{Lu}\p{Lt}])/gu;
const AFTER_ACRONYM = /(?<=[\p{Lu}\p{Lt}]\p{M}*)(?=[\p{Lu}\p{Lt}]\p{M}*\p{Ll})(?!\p{Lu}s(?!\p{Ll}))/gu;

// Marks are part of the letter they stand behind, as the vowels of Devanagari are.
const WORDS = /(?:[\p{L}\p{N}][\p{Mn}\p{Mc}]*)+/gu;

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The trait that a name makes: the name in snake_case. Letters and digits of every script stay, in the form NFKC gives them
 * and without their case; all else between two words becomes one `_`. A digit at the beginning gets a `_` in
 * front. Empty when the name has neither letters nor digits. The trait of a trait is itself.
 */
export function traitOf(name: string): string {
  const parted = plain(name).replace(AFTER_LOWER, '_').replace(AFTER_ACRONYM, '_');
  const words = folded(folded(parted)).match(WORDS) ?? [];
  const trait = words.join('_');
  return /^\p{N}/u.test(trait) ? `_${trait}` : trait;
}

/** Makes compatible characters one, and leaves out invisible ones: joiners, soft hyphens, the selectors of emoji. */
const plain = (text: string): string => text.normalize('NFKC').replace(IGNORABLE, '').normalize('NFKC');

/**
 * Folds the case fully, for which JavaScript has no function: up and down again, so that `ß` is `ss` as in `STRASSE`, and every sigma the same. What
 * folds to several characters may fold again, so it is done twice.
 */
const folded = (text: string): string => plain(text.toUpperCase().toLowerCase().replaceAll('ς', 'σ'));
