import type { Keys } from '../../base/options/key-path.js';
import { describe } from '../../base/text/describe.js';
import { isRecord } from '../../protocol/plain.js';
import type { Finding } from './places.js';
import { MAX_DEPTH } from './syntax.js';

/** A configuration as plain values, before it is checked. */
export interface ConfigValues {
  readonly value: unknown;
  /** The mistakes: values that could not become plain ones. */
  readonly findings: readonly Finding[];
  /** The variables and files whose content stands in a text. */
  variablesOf(keys: Keys): readonly string[];
}

/** A copy of what a program gave, so that the program may change its object afterwards. Texts stay as they are, `${…}` included. */
export function valuesOf(given: unknown): ConfigValues {
  const findings: Finding[] = [];
  const value = copy(given, [], findings);
  return { value, findings, variablesOf: () => [] };
}

/** Leaves out fields that are `undefined`: such a field is not there. */
function copy(value: unknown, keys: Keys, findings: Finding[]): unknown {
  const isNested = typeof value === 'object' && value !== null;
  // An object that holds itself has no end.
  if (isNested && keys.length > MAX_DEPTH)
    return void findings.push({ keys, expected: `${MAX_DEPTH} levels at most`, received: 'more' });
  if (Array.isArray(value)) return value.map((item, index) => copy(item, [...keys, index], findings));
  if (isRecord(value)) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return Object.fromEntries(fields.map(([key, field]) => [key, copy(field, [...keys, key], findings)]));
  }
  const isPlain = value == null || ['string', 'number', 'boolean'].includes(typeof value);
  if (isPlain) return value;
  const hint = value instanceof Promise ? ': await it' : '';
  return void findings.push({ keys, expected: 'a value that JSON can hold', received: describe(value) + hint });
}
