/** Matches characters that are invisible or that change how others are shown: bidi, C0 and C1 controls. */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

const codeOf = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, '0');

/** Replaces each such character by its code: `[U+202E]`. */
export const visible = (text: string): string => text.replace(UNSEEN, (char) => `[U+${codeOf(char).toUpperCase()}]`);

/** Escapes them as JSON does: `\\u202e`. */
export const escapeUnseen = (json: string): string => json.replace(UNSEEN, (char) => `\\u${codeOf(char)}`);

/** Like `visible`, but keeps line ends and tabs. */
export const visibleLines = (text: string): string =>
  text.replace(UNSEEN, (char) => (char === '\n' || char === '\t' || char === '\r' ? char : visible(char)));
