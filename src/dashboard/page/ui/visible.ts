/** Matches characters that cannot be seen or that change how others are shown: bidi, C0 and C1 controls. */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

const codeOf = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, '0');

/** Writes each character that cannot be seen as its code: `[U+202E]`. */
export const visible = (text: string): string => text.replace(UNSEEN, (char) => `[U+${codeOf(char).toUpperCase()}]`);

/** Writes them as JSON does: `\\u202e`. */
export const escapeUnseen = (json: string): string => json.replace(UNSEEN, (char) => `\\u${codeOf(char)}`);

/** Does the same in a text of several lines, whose line ends and tabs stay. */
export const visibleLines = (text: string): string =>
  text.replace(UNSEEN, (char) => (char === '\n' || char === '\t' || char === '\r' ? char : visible(char)));
