import type * as z from 'zod/mini';
import { type Keys, valueAt } from '../../base/options/key-path.js';
import { namesAt } from '../../base/options/schema-at.js';
import { suggest } from '../../base/options/suggest.js';
import { describe } from '../../base/text/describe.js';
import { ELSEWHERE } from '../../destination/settings/destination-schema.js';
import type { ConfigValues } from './config-values.js';
import { type Finding, formatKeys } from './places.js';
import { configSchema } from './schema.js';

/** Finds keys that are unknown or missing, and values that the schema refuses. */
export function schemaFindings(values: ConfigValues, issues: readonly z.core.$ZodIssue[]): Finding[] {
  return issues.flatMap(innermost).flatMap((issue) => {
    const keys = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(values.value, keys, key));
    const received =
      saidOf(issue, values, keys) ?? describeAt(values, keys) + hintFor(issue, valueAt(values.value, keys));
    return [{ keys, expected: issue.message, received }];
  });
}

/** For a value that may be an object or something else: if it is an object, returns what is wrong inside it. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const inside = issue.errors.find((issues) =>
    issues.some(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  return inside?.map((each) => ({ ...each, path: [...issue.path, ...each.path] })) ?? [issue];
}

function unknownKey(value: unknown, keys: Keys, key: string): Finding {
  const known = namesAt(configSchema, value, keys).filter((name) => name !== '$schema');
  const ours = ELSEWHERE.get(key);
  const meant = ours !== undefined && known.includes(ours) ? ours : suggest(key, known);
  const received = `an unknown key${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  return { keys: [...keys, key], expected: `one of ${known.join(', ')}`, received, isOfKey: true };
}

/** Returns what a custom rule says it received, unless the value comes from the environment and must not be shown. */
function saidOf(issue: z.core.$ZodIssue, values: ConfigValues, keys: Keys): string | undefined {
  if (issue.code !== 'custom' || values.variablesOf(keys).length > 0) return undefined;
  return issue.params?.['received'] as string | undefined;
}

function hintFor(issue: z.core.$ZodIssue, value: unknown): string {
  const wantsText = issue.code === 'invalid_type' && issue.expected === 'string';
  return wantsText && (typeof value === 'number' || typeof value === 'boolean') ? '; quotes make it text' : '';
}

/** The places where errors show a wrong text, because it cannot be a secret. */
const SHOWN =
  /^(listen\.(host|port)|log\.level|store\.(type|prefix)|destinations\[\d+\]\.(name|type|settle|allowCidrs\[\d+\])|sources\[\d+\]\.(name|destinations\[\d+\])|audiences\.destinations\[\d+\])$/;

/** Describes a value without showing anything that may be a secret or came from the environment. */
export function describeAt(values: ConfigValues, keys: Keys): string {
  const variables = values.variablesOf(keys);
  if (variables.length > 0) return `the value of ${variables.map((name) => `\${${name}}`).join(' and ')}`;
  const value = valueAt(values.value, keys);
  if (value === undefined) return 'nothing';
  if (value === '') return 'an empty string';
  if (typeof value === 'string') return SHOWN.test(formatKeys(keys)) ? describe(value) : HIDDEN;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'number') return isSecret(keys) ? 'a number' : describe(value);
  return describe(value);
}

const HIDDEN = 'a string, which is not shown as it may be a secret';

/** True if a number here may be a secret that consists of digits and was written without quotes. */
const isSecret = (keys: Keys): boolean =>
  keys.some((key) =>
    ['writeKeys', 'token', 'sharedSecret', 'secret', 'headers', 'url', 'cluster', 'sentinels'].includes(String(key)),
  );
