import type * as z from 'zod/mini';
import { describeThrown } from '../base/errors/describe-thrown.js';
import { describe } from '../base/text/describe.js';
import type { StandardSchema } from '../events/standard-schema.js';
import type { Calls, MessageTypeName, TypedMessage } from '../protocol/calls.js';
import { isText } from '../protocol/common.js';
import { MESSAGE_TYPES } from '../protocol/field-table.js';
import { isRecord } from '../protocol/plain.js';
import { messageSchema } from '../protocol/schemas.js';
import type { WebhookEvent } from '../protocol/webhook-event.js';
import { EXPECTED_BODY, EXPECTED_TYPE, eventChecks } from '../webhooks/read-event.js';

/** A mistake in a value. */
export interface Issue {
  /** What was expected and what was given: `expected a non-empty string, got number 42`. */
  readonly message: string;
  /** Where the mistake is in the value: `['context', 'integrations', 'All']`. */
  readonly path: readonly PropertyKey[];
}

/** The result of a check. */
export type Checked<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly issues: readonly Issue[] };

/**
 * A Standard Schema, version 1 (https://standardschema.dev), for every library that accepts one. It only checks: it returns the
 * value that it was given, unchanged.
 */
export interface MessageSchema<T> extends StandardSchema<T> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'eventferry';
    readonly validate: (
      value: unknown,
    ) => { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };
    /** Used only by types; absent at run time. */
    readonly types?: { readonly input: T; readonly output: T } | undefined;
  };
  /** Checks a value and finds every mistake in it. Never throws. */
  safeParse(value: unknown): Checked<T>;
}

/** @param find finds every mistake in a value */
function schemaOf<T>(find: (value: unknown) => readonly Issue[]): MessageSchema<T> {
  const issuesIn = (value: unknown): readonly Issue[] => {
    try {
      return find(value);
    } catch (error) {
      // A getter, a proxy or a `toJSON` of the value threw.
      return [{ message: `expected a value that can be read, got one that throws ${describeThrown(error)}`, path: [] }];
    }
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'eventferry',
      validate: (value) => {
        const issues = issuesIn(value);
        return issues.length === 0 ? { value: value as T } : { issues };
      },
    },
    safeParse: (value) => {
      const issues = issuesIn(value);
      return issues.length === 0 ? { success: true, data: value as T } : { success: false, issues };
    },
  };
}

const issuesOf = (schema: z.ZodMiniType, value: unknown): readonly Issue[] =>
  schema.safeParse(value).error?.issues.map(({ message: text, path }) => ({ message: text, path })) ?? [];

const issue = (expected: string, given: unknown, ...path: PropertyKey[]): Issue => ({
  message: `expected ${expected}, got ${describe(given)}`,
  path,
});

const oneOf = (types: ReadonlyMap<string, unknown>): string => `one of ${[...types.keys()].join(', ')}`;

const byType = new Map<string, z.ZodMiniType>(MESSAGE_TYPES.map((type) => [type, messageSchema(type)]));

/**
 * The schemas for the arguments of the calls, by name: `messages.track` checks what `analytics.track` takes. A `type` is optional
 * and is checked if it is given. Size and depth are checked only by the call itself.
 */
export const messages = Object.fromEntries(
  [...byType].map(([type, schema]) => [type, schemaOf((value) => issuesOf(schema, value))]),
) as unknown as { readonly [T in MessageTypeName]: MessageSchema<Calls[T]> };

/** A message of any type, which its `type` names. `analytics.import` and files contain such messages. */
export const message: MessageSchema<TypedMessage> = schemaOf((value) => {
  if (!isRecord(value)) return [issue('a plain object', value)];
  const { type } = value;
  const schema = byType.get(type as string);
  return schema === undefined ? [issue(oneOf(byType), type, 'type')] : issuesOf(schema, value);
});

/** The body of a webhook, by the rules of the receiver. An event of a type that this version does not know is refused. */
export const webhookEvent: MessageSchema<WebhookEvent> = schemaOf((value) => {
  // Only the fields are checked: what a class instance has besides them is never part of a body.
  if (!isRecord(value)) return [issue(EXPECTED_BODY, value)];
  const { type } = value;
  if (!isText(type)) return [issue(EXPECTED_TYPE, type, 'type')];
  const checks = eventChecks.get(type as string);
  if (checks === undefined) return [issue(oneOf(eventChecks), type, 'type')];
  return checks
    .filter(({ field, holds }) => !holds(value[field]))
    .map(({ field, expected }) => issue(expected, value[field], field));
});
