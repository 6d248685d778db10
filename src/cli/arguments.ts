import { InvalidArgumentError } from 'commander';

/** Readers of what follows an option. Commander puts the option's name in front of what they say is wrong. */

export const integer =
  (from: number, to = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    const range = to === Number.MAX_SAFE_INTEGER ? `from ${from} up` : `from ${from} to ${to}`;
    throw new InvalidArgumentError(`Expected an integer ${range}.`);
  };

/** A number of which there is some. */
export function positive(text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= LEAST && value <= Number.MAX_SAFE_INTEGER) return value;
  throw new InvalidArgumentError(`Expected a number from ${LEAST} up.`);
}

const LEAST = 0.001;

/** What stands between two values; a shell writes no tab easily. */
export function delimiter(text: string): string {
  if (text === '\\t') return '\t';
  if (text !== '' && !/["\r\n]/.test(text)) return text;
  throw new InvalidArgumentError("Expected a text such as ';' or '\\t', without quotes and line ends.");
}

export const port = integer(0, 65_535);

export function jsonObject(text: string): Record<string, unknown> {
  const value = parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new InvalidArgumentError('Expected a JSON object such as \'{"total":42}\'.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An option that may be given several times. */
export const list = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
