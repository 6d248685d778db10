// Lower or digit before upper, `highValue`; and an upper that begins a word behind an acronym, `HTTPServer`. The s of
// `VIPs` begins none.
const AFTER_LOWER = /(?<=[\p{Ll}\p{N}]\p{M}*)(?=[\p{Lu}\p{Lt}])/gu;
const AFTER_ACRONYM = /(?<=[\p{Lu}\p{Lt}]\p{M}*)(?=[\p{Lu}\p{Lt}]\p{M}*\p{Ll})(?!\p{Lu}s(?!\p{Ll}))/gu;

// Marks are part of the letter they stand behind, as the vowels of Devanagari are.
const WORDS = /(?:[\p{L}\p{N}][\p{Mn}\p{Mc}]*)+/gu;

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The trait of an audience: its name in snake_case. Letters and digits of every script stay, in the form NFKC gives them
 * and without their case; all else between two words becomes one `_`. A digit at the beginning gets a `_` in
 * front. Empty when the name has neither letters nor digits. The trait of a trait is itself.
 */
export function traitOf(name: string): string {
  const parted = plain(name).replace(AFTER_LOWER, '_').replace(AFTER_ACRONYM, '_');
  const words = folded(folded(parted)).match(WORDS) ?? [];
  const trait = words.join('_');
  return /^\p{N}/u.test(trait) ? `_${trait}` : trait;
}

/** Compatible characters made one, without invisible ones: joiners, soft hyphens, the selectors of emoji. */
const plain = (text: string): string => text.normalize('NFKC').replace(IGNORABLE, '').normalize('NFKC');

/**
 * Full case folding, which JavaScript has not: up and down again, so that `ß` is `ss` as in `STRASSE`, and every sigma the same. What
 * folds to several characters may fold again, so it is done twice.
 */
const folded = (text: string): string => plain(text.toUpperCase().toLowerCase().replaceAll('ς', 'σ'));
