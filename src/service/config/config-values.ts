import type { Keys } from '../../base/options/key-path.js';
import { describe } from '../../base/text/describe.js';
import { isRecord } from '../../protocol/plain.js';
import type { Finding, TextPlace } from './places.js';
import { MAX_DEPTH } from './syntax.js';

/** A configuration as plain values that have not been checked yet. */
export interface ConfigValues {
  readonly value: unknown;
  /** Values that could not be converted to plain ones. */
  readonly findings: readonly Finding[];
  /** Returns the variables and files whose content is part of a text. */
  variablesOf(keys: Keys): readonly string[];
  /** Returns the place of a mistake in the file; undefined when a program gave an object, which has no places. */
  placeOf(finding: Pick<Finding, 'keys' | 'isOfKey' | 'place'>): TextPlace | undefined;
}

/** Copies the values of a program, which may change its object later. Texts are unchanged, including `${…}`. */
export function valuesOf(given: unknown): ConfigValues {
  const findings: Finding[] = [];
  const value = copyPlain(given, [], findings);
  return { value, findings, variablesOf: () => [], placeOf: () => undefined };
}

/**
 * Copies a value without the fields that are `undefined`, because such a field counts as missing.
 *
 * @param ofText returns what stands in the copy for a text. @default the text
 */
export function copyPlain(
  value: unknown,
  keys: Keys,
  findings: Finding[],
  ofText: (text: string, keys: Keys) => unknown = (text) => text,
): unknown {
  if (typeof value === 'string') return ofText(value, keys);
  const isNested = typeof value === 'object' && value !== null;
  // An object that contains itself would be copied without end.
  if (isNested && keys.length > MAX_DEPTH)
    return void findings.push({ keys, expected: `${MAX_DEPTH} levels at most`, received: 'more' });
  if (Array.isArray(value)) return value.map((item, index) => copyPlain(item, [...keys, index], findings, ofText));
  if (isRecord(value)) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return Object.fromEntries(fields.map(([key, field]) => [key, copyPlain(field, [...keys, key], findings, ofText)]));
  }
  const isPlain = value == null || ['number', 'boolean'].includes(typeof value);
  if (isPlain) return value;
  const hint = value instanceof Promise ? ': await it' : '';
  return void findings.push({ keys, expected: 'a value that JSON can hold', received: describe(value) + hint });
}
