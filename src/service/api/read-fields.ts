import type { Context } from 'hono';
import type { Rule, Rules } from '../../base/options/check-options.js';
import { decodeUtf8, parseJson } from '../../base/text/decode.js';
import { lossIn } from '../../base/text/json-loss.js';
import { isRecord } from '../../protocol/plain.js';
import { inTime } from '../in-time.js';
import { type ApiRefusal, refusals } from './refusals.js';
import { readAll, uploadOf } from './upload.js';

/** Enough for all calls except those that name many users. */
const MAX_BYTES = 16_384;

/** The time in ms within which a whole body has to arrive. */
const DEADLINE_MS = 30_000;

/**
 * Reads the JSON object in a request, whose fields have to follow the rules.
 *
 * @param hint tells a caller whose body is too large what to do instead
 * @throws ApiRefusal
 */
export async function readFields<T extends object>(
  context: Context,
  rules: Rules<T>,
  maxBytes?: number,
  hint?: string,
): Promise<T> {
  const fields = await readObject(context, maxBytes, hint);
  checkFields(fields, rules);
  return fields;
}

/** Reads the JSON object in a request, whatever its fields. @throws ApiRefusal */
export async function readObject(
  context: Context,
  maxBytes = MAX_BYTES,
  hint?: string,
): Promise<Readonly<Record<string, unknown>>> {
  requireType(context, /^application\/json\s*(?:;|$)/i, refusals.notJson);
  const bytes = await inTime(readAll(uploadOf(context), maxBytes, hint), DEADLINE_MS, refusals.bodyTimeout);
  const text = decodeUtf8(bytes) ?? '';
  const value = parseJson(text);
  if (!isRecord(value)) throw refusals.invalidJson('The body is not a JSON object in UTF-8');
  const loss = lossIn(text, value);
  if (loss !== undefined) throw refusals.invalidJson(`The body: ${loss}`);
  return value;
}

/** Refuses unknown fields too, because a misspelt field would otherwise be ignored silently. @throws ApiRefusal */
export function checkFields<T extends object>(
  fields: Readonly<Record<string, unknown>>,
  rules: Rules<T>,
): asserts fields is T & typeof fields {
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(rules, name));
  if (unknown !== undefined) throw refusals.unknownField(unknown, Object.keys(rules).join(', '));
  for (const [name, { expected, holds, isRequired }] of Object.entries<Rule>(rules)) {
    const value = fields[name];
    if (value === undefined ? isRequired : !holds(value)) throw refusals.invalidField(name, expected, value);
  }
}

export const filled: Rule = {
  expected: 'a non-empty string',
  holds: (value) => typeof value === 'string' && value !== '',
};

/** Refuses any other content type. A form on another site cannot send the required ones. @throws ApiRefusal */
export function requireType(context: Context, type: RegExp, refusal: () => ApiRefusal): void {
  if (!type.test(context.req.header('content-type') ?? '')) throw refusal();
}
