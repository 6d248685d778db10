import * as z from 'zod/mini';
import { describeThrown } from '../base/errors/describe-thrown.js';
import { describe } from '../base/text/describe.js';
import type { StandardSchema } from '../events/standard-schema.js';
import type { Calls, MessageTypeName, TypedMessage } from '../protocol/calls.js';
import { MESSAGE_TYPES } from '../protocol/field-table.js';
import { isRecord } from '../protocol/plain.js';
import { messageSchema } from '../protocol/schemas.js';
import type { WebhookEvent } from '../protocol/webhook-event.js';
import { eventChecks } from '../webhooks/read-event.js';

/** A mistake in a value. */
export interface Issue {
  /** What should stand there and what does: `expected a non-empty string, got number 42`. */
  readonly message: string;
  /** The place inside of the value: `['context', 'integrations', 'All']`. */
  readonly path: readonly PropertyKey[];
}

/** The result of a check. */
export type Checked<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly issues: readonly Issue[] };

/**
 * A Standard Schema, version 1 (https://standardschema.dev), for every library that takes one. It only checks: the value that it returns
 * is the value that it was given, unchanged.
 */
export interface MessageSchema<T> extends StandardSchema<T> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'eventferry';
    readonly validate: (
      value: unknown,
    ) => { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };
    /** For types only; absent at run time. */
    readonly types?: { readonly input: T; readonly output: T } | undefined;
  };
  /** Checks a value, and finds every mistake in it. It does not throw. */
  safeParse(value: unknown): Checked<T>;
}

/** @param find finds every mistake in a value */
function schemaOf<T>(find: (value: unknown) => readonly Issue[]): MessageSchema<T> {
  const issuesIn = (value: unknown): readonly Issue[] => {
    try {
      return find(value);
    } catch (error) {
      // A getter, a proxy or a `toJSON` of the value.
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

/** The issues by the schema of the value's own `type`. */
function issuesByType(schemas: ReadonlyMap<string, z.ZodMiniType>, value: unknown): readonly Issue[] {
  if (!isRecord(value)) return [{ message: `expected a plain object, got ${describe(value)}`, path: [] }];
  const schema = schemas.get(value['type'] as string);
  if (schema !== undefined) return issuesOf(schema, value);
  return [
    { message: `expected one of ${[...schemas.keys()].join(', ')}, got ${describe(value['type'])}`, path: ['type'] },
  ];
}

const byType = new Map<string, z.ZodMiniType>(MESSAGE_TYPES.map((type) => [type, messageSchema(type)]));

/**
 * The argument of each call by its name: `messages.track` checks what `analytics.track` takes. A `type` may be there, and is checked then.
 * Size and depth are not checked; a call checks them, too.
 */
export const messages = Object.fromEntries(
  [...byType].map(([type, schema]) => [type, schemaOf((value) => issuesOf(schema, value))]),
) as unknown as { readonly [T in MessageTypeName]: MessageSchema<Calls[T]> };

/** A message of any type, told by its `type`: what `analytics.import` and a file have. */
export const message: MessageSchema<TypedMessage> = schemaOf((value) => issuesByType(byType, value));

const events = new Map<string, z.ZodMiniType>(
  [...eventChecks].map(([type, checks]) => [
    type,
    z.looseObject(
      Object.fromEntries(
        checks.map(({ field, holds, expected }) => {
          const error = ({ input }: { readonly input?: unknown }): string =>
            `expected ${expected}, got ${describe(input)}`;
          const schema = z.custom(holds, { error });
          return [field, holds(undefined) ? z.optional(schema) : schema];
        }),
      ),
    ),
  ]),
);

/** The body of a webhook, by the rules of the receiver. An event of a type that this version does not know is refused. */
export const webhookEvent: MessageSchema<WebhookEvent> = schemaOf((value) => issuesByType(events, value));
