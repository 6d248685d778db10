/** Only a text with an integer of 16 digits, or with an exponent, needs a closer look. Most texts have neither. */
const MAY_HOLD_LARGE = /\d{16}|(?:^|[:,[\s-])\d[\d.]*[eE]/;
const STRING_OR_KEY = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/gs;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;
const DECIMAL = /^[-+]?(\d*)\.?(\d*)(?:[eE]([-+]?\d+))?$/;
/** No number that JavaScript can hold needs more digits. */
const MOST_CHARACTERS = 400;

/** From this value up, JavaScript has no fractions and may have changed the number that a text contained. */
export const NO_FRACTIONS_FROM = 2 ** 52;

/**
 * Returns true if JavaScript changes a number. It keeps integers exactly up to 2^53: 9007199254740993 becomes 9007199254740992,
 * 4503599627370497.5 becomes 4503599627370498, and 1e400 becomes Infinity. A larger number that JavaScript writes back with the
 * same value, such as 1e20, stays what it is. Every language rounds fractions below 2^52, and may write 0.1 as
 * 0.10000000000000001, so they do not count.
 */
export function isRounded(text: string): boolean {
  const value = Number(text);
  if (Number.isNaN(value) || Math.abs(value) < NO_FRACTIONS_FROM) return false;
  return text.length > MOST_CHARACTERS || digitsOf(text) !== digitsOf(String(value));
}

/** Returns the first number in a text of JSON that JSON.parse would change. */
export function roundedNumber(json: string): string | undefined {
  if (!MAY_HOLD_LARGE.test(json)) return undefined;
  return json.match(STRING_OR_NUMBER)?.find((token) => token[0] !== '"' && isRounded(token));
}

/** Describes what JSON.parse changed or dropped, and what to do about it: a rounded number, or a value of a repeated key. */
export function lossIn(json: string, parsed: unknown): string | undefined {
  const rounded = roundedNumber(json);
  if (rounded !== undefined) return adviceFor(rounded);
  const repeated = json.includes('{') ? repeatedKey(json, parsed) : undefined;
  return (
    repeated && `the key ${JSON.stringify(repeated.slice(0, MOST_CHARACTERS))} is there twice; leave one of them out`
  );
}

/** Returns a key that the text contains more often than the parsed value does. */
function repeatedKey(json: string, parsed: unknown): string | undefined {
  const lost = new Map<string, number>();
  const count = (key: string, change: 1 | -1): void => void lost.set(key, (lost.get(key) ?? 0) + change);
  for (const [token] of json.matchAll(STRING_OR_KEY)) {
    if (token.endsWith(':')) count(JSON.parse(token.slice(0, -1)), 1);
  }
  const values = [parsed];
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inside] of Object.entries(value)) {
      if (!Array.isArray(value)) count(key, -1);
      values.push(inside);
    }
  }
  return [...lost].find(([, times]) => times > 0)?.[0];
}

/** Replaces each number in a JSON text that JSON.parse would change by one that it reads as Infinity. */
export const withInfinities = (json: string): string =>
  json.replace(STRING_OR_NUMBER, (token) => (token[0] !== '"' && isRounded(token) ? '1e999' : token));

/** Tells a caller how to pass a number that JavaScript would change. */
export const adviceFor = (rounded: string): string =>
  `the number ${rounded.slice(0, MOST_CHARACTERS)} would become ${Number(rounded)}; write it in quotes, as text`;

/** Writes a number as its digits and their position, so that equal numbers have equal texts. */
function digitsOf(text: string): string | undefined {
  const [, whole = '', fraction = '', exponent = 0] = DECIMAL.exec(text) ?? [];
  const digits = `${whole}${fraction}`;
  const significant = digits.replace(/^0+/, '');
  const place = whole.length + Number(exponent) - (digits.length - significant.length);
  return `${significant.replace(/0+$/, '')} ${place}`;
}
