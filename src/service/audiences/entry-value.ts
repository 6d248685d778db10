import { describe } from '../../base/text/describe.js';
import type { IdProblem } from '../../protocol/user-id.js';

/** The maximum number of bytes of a value, written as JSON in UTF-8. */
export const MAX_VALUE_BYTES = 2_000;

/** Returns why something cannot be the value of a trait; undefined if it can. */
export function valueProblem(value: unknown): IdProblem | undefined {
  const json = stringified(value);
  if (json === undefined) return { expected: 'a JSON value', received: value === undefined ? 'none' : describe(value) };
  const number = notFiniteIn(value);
  if (number !== undefined) return { expected: 'numbers that JSON can hold', received: String(number) };
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_VALUE_BYTES) return undefined;
  return {
    expected: `a value of at most ${MAX_VALUE_BYTES} bytes of JSON`,
    received: `${describe(value)} of ${bytes}`,
  };
}

/** Returns undefined for what JSON cannot represent, such as a function, a BigInt or a cycle. */
function stringified(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Finds a number such as `1e400`, which is valid JSON but is read as Infinity and would be sent as null. */
function notFiniteIn(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const part of Object.values(value)) {
    const found = notFiniteIn(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Writes a JSON value as text, with the keys of objects in order, so that equal values have the same text. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join()}}`;
}
