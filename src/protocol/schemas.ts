/**
 * The only description of messages. `npx tsx .ci/messages.ts` generates from it the checks that a call runs, and the types and
 * tables of all parts, so that only `eventferry/schemas` loads zod.
 */
import * as z from 'zod/mini';
import { describe } from '../base/text/describe.js';
import type { AnyObject } from './any-object.js';
import type { Calls, MessageTypeName, PagePropertiesInput } from './calls.js';
import {
  type CommonFields,
  type Inspect,
  inspectId,
  inspectMessageId,
  inspectOtherId,
  inspectRecord,
  inspectRequiredId,
  inspectString,
  inspectSwitch,
  inspectText,
  inspectTimestamp,
  mistakeInEach,
  mistakeInIds,
  mistakeInRecord,
} from './common.js';
import type { ContextInput } from './context.js';
import type { FieldKind } from './field-table.js';
import type { IntegrationsInput } from './integrations.js';
import type { OwnField } from './message-shapes.js';
import { mistakeInNames, takeOtherName } from './page-properties.js';
import { valueAt } from './path.js';
import type { Timestamp } from './timestamp.js';

/** A schema that accepts exactly these values. One that accepts more or fewer does not compile. */
export type SchemaField<T> = z.ZodMiniType<T, T> & { readonly '~exactly'?: (value: T) => void };

/** The inspection of each value, and its kind in the table of fields. */
export const values = z.registry<{ readonly inspect: Inspect; readonly kind: FieldKind }>();

/** An object: its name, the word for its fields if their number is limited, and the inspection of each if all share one. */
interface About {
  readonly name: string;
  readonly counted?: string;
  readonly each?: Inspect;
}

/** The objects that have rules for their own fields. */
export const objects = z.registry<About>();

/** A zod check that runs an inspection, even if other fields are wrong. Its error has the text of a call's, without the path. */
const inspected = (inspect: Inspect) =>
  z.check<unknown>(
    ({ value: given, issues }) => {
      const mistake = inspect(given);
      if (mistake === undefined) return;
      const { path, expected, received = describe(valueAt(given, path)) } = mistake;
      issues.push({ code: 'custom', input: given, path: [...path], message: differs(expected, received) });
    },
    { when: () => true },
  );

const differs = (expected: string, received: string): string => `expected ${expected}, got ${received}`;

function value<T>(kind: FieldKind, inspect: Inspect): SchemaField<T> {
  const schema = z.unknown().check(inspected(inspect)) as z.ZodMiniType as SchemaField<T>;
  values.add(schema, { inspect, kind });
  return schema;
}

/** Reads the value before zod copies it, because zod accepts a `Map` or a `Date` as an object. */
function objectOf<T>(about: About, fields: z.ZodMiniType): SchemaField<T> {
  const isObject = z.unknown().check(inspected((given) => mistakeInRecord(given, about.counted)));
  const schema = z.pipe(isObject, fields) as z.ZodMiniType as SchemaField<T>;
  objects.add(schema, about);
  return schema;
}

const maybe = <T>(schema: SchemaField<T>): SchemaField<T | null | undefined> =>
  z.nullish(schema) as SchemaField<T | null | undefined>;

const id = (): SchemaField<string> => value('text', inspectId);
const requiredId = (): SchemaField<string> => value('text', inspectRequiredId);
const text = (): SchemaField<string> => value('text', inspectText);
const string = (): SchemaField<string> => value('text', inspectString);
const object = (): SchemaField<AnyObject> => value('object', inspectRecord);

/** `z.record` accepts no class instances, and ignores a field called `__proto__`. */
const integrations = objectOf<IntegrationsInput>(
  { name: 'Integrations', counted: 'destinations', each: inspectSwitch },
  z.unknown().check(inspected((given) => mistakeInEach(given as object, inspectSwitch))),
);

const context = objectOf<ContextInput>(
  { name: 'Context', counted: 'fields' },
  z.looseObject({ integrations: maybe(integrations) }),
);

const pageProperties = objectOf<PagePropertiesInput>(
  { name: 'PageProperties' },
  z.looseObject({ url: maybe(string()), title: maybe(string()), referrer: maybe(string()), path: maybe(string()) }),
);

/** The fields of every call. An error reports the first wrong one, in this order, and a wrong timestamp last. */
export const commonSchemas: { readonly [K in keyof CommonFields]-?: SchemaField<CommonFields[K]> } = {
  userId: maybe(id()),
  anonymousId: maybe(id()),
  timestamp: maybe(value<Timestamp>('time', inspectTimestamp)),
  messageId: maybe(value<string>('text', inspectMessageId)),
  context: maybe(context),
  integrations: maybe(integrations),
};

/** Fields of other types, which any message may contain. Collectors check them in messages of every type. */
export const otherSchemas = {
  groupId: maybe(value<unknown>('text', inspectOtherId)),
  previousId: maybe(value<unknown>('text', inspectOtherId)),
  properties: maybe(object()),
  traits: maybe(object()),
};

/** The rule for every message: it must identify a user. */
export const commonRules: readonly Inspect[] = [mistakeInIds];

/** The description of a type of message. */
export interface MessageSchema<T extends MessageTypeName> {
  /** What such a message means. */
  readonly meaning: string;
  /** The fields that other types do not have, or do not require. */
  readonly own: { readonly [K in OwnField<T>]: SchemaField<Calls[T][K]> };
  /** Rules that involve several fields. */
  readonly rules?: readonly Inspect[];
  /** Completes a valid message. */
  readonly finish?: (message: never) => void;
}

export const messageSchemas: { readonly [T in MessageTypeName]: MessageSchema<T> } = {
  identify: {
    meaning: 'Tells who a user is.',
    own: { traits: maybe(object()) },
  },
  track: {
    meaning: 'Something a user did.',
    own: { event: text(), properties: maybe(object()) },
  },
  page: {
    meaning: 'A user saw a page of a website.',
    own: {
      category: maybe(string()),
      name: maybe(string()),
      properties: maybe(pageProperties),
      traits: maybe(pageProperties),
    },
    rules: [mistakeInNames],
    finish: takeOtherName,
  },
  screen: {
    meaning: 'A user saw a screen of an app.',
    own: { category: maybe(string()), name: maybe(string()), properties: maybe(object()) },
  },
  group: {
    meaning: 'A user belongs to a company, a team, an account.',
    own: { groupId: requiredId(), traits: maybe(object()) },
  },
  alias: {
    meaning: 'Two ids are one person: what `previousId` did, `userId` did.',
    own: { previousId: requiredId(), userId: requiredId() },
  },
};

/** Returns the schema of a whole message as a call accepts it: its fields, those of other types, and any others. */
export const messageSchema = <T extends MessageTypeName>(name: T): z.ZodMiniType<Calls[T], Calls[T]> => {
  const { own, rules = [] } = messageSchemas[name];
  const fields = {
    type: z.optional(z.literal(name, { error: ({ input }) => differs(JSON.stringify(name), describe(input)) })),
  };
  const together = [...commonRules, ...rules].map(inspected);
  return objectOf(
    { name, counted: 'fields' },
    z.looseObject({ ...fields, ...otherSchemas, ...commonSchemas, ...own }).check(...together),
  );
};
