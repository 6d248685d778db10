// Control and format characters could colour the line, move the cursor or turn the direction of what follows.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text from elsewhere as a terminal may show it: on one line, and without the power to command the terminal. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escapeCharacter);

const escapeCharacter = (character: string): string => {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
};

export const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;
