// Control and format characters could colour the line, move the cursor or reverse the direction of the text after them. Half of a
// surrogate pair is not a character.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const SHORT_NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Makes text from other programs safe for a terminal or a log: it stays on one line and cannot control the terminal. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escapeCharacter);

const escapeCharacter = (character: string): string =>
  SHORT_NAMES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** The mark for the omitted text brings the total to 200. */
const EXCERPT_LENGTH = 199;

/** Returns the printable beginning of a text, at most 200 characters. Never splits a character or an escape. */
export function excerpt(text: string): string {
  let shown = '';
  for (const character of text) {
    const next = printable(character);
    if (shown.length + next.length > EXCERPT_LENGTH) return `${shown}…`;
    shown += next;
  }
  return shown;
}

export const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;
