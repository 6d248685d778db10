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
  EXPECTED_ID,
  inspectId,
  inspectMessageId,
  inspectOtherId,
  inspectRequiredId,
  inspectTimestamp,
  isIdentified,
  isMessageId,
  isOtherId,
  isRequiredId,
  isString,
  isText,
  isTimestamp,
  mistakeInIds,
} from './common.js';
import type { ContextInput } from './context.js';
import type { FieldKind } from './field-table.js';
import { type IntegrationsInput, isSwitch } from './integrations.js';
import type { OwnField } from './message-shapes.js';
import { type Inspect, mistakeInEach, mistakeInRecord, required } from './mistake.js';
import { mistakeInNames, namesPropertiesOnce, takeOtherName } from './page-properties.js';
import { valueAt } from './path.js';
import { isRecord } from './plain.js';
import type { Timestamp } from './timestamp.js';
import { isGivenId } from './user-id.js';

/** A schema that accepts exactly these values. One that accepts more or fewer does not compile. */
export type Field<T> = z.ZodMiniType<T, T> & { readonly '~exactly'?: (value: T) => void };

/** A rule. The fast check of a call runs `holds`, and `says` explains what is wrong. */
export interface FieldRule {
  readonly holds: (value: never) => boolean;
  /** The expected value, or a function that finds the mistake. */
  readonly says: string | Inspect;
}

/** The rule of each schema, and the kind of its value in the table of fields. */
export const values = z.registry<FieldRule & { readonly kind: FieldKind }>();

/** An object: its name, the word for its fields if their number is limited, and the rule of each if all share one. */
interface About {
  readonly name: string;
  readonly counted?: string;
  readonly each?: FieldRule & { readonly says: string };
}

/** The objects that have rules for their own fields. */
export const objects = z.registry<About>();

function value<T>(kind: FieldKind, holds: (value: unknown) => boolean, says: FieldRule['says']): Field<T> {
  const schema: Field<T> = z.custom<T>(holds, { error: ({ input }) => explain(says, input), abort: false });
  values.add(schema, { holds, says, kind });
  return schema;
}

/** A zod check that runs an inspection, even if other fields are wrong. */
const inspected = (inspect: Inspect) =>
  z.check<unknown>(
    ({ value: given, issues }) => {
      const mistake = inspect(given);
      if (mistake === undefined) return;
      const text = explain(() => mistake, valueAt(given as object, mistake.path));
      issues.push({ code: 'custom', input: given, path: [...mistake.path], message: text });
    },
    { when: () => true },
  );

/** Reads the value before zod copies it, because zod accepts a `Map` or a `Date` as an object. */
function objectOf<T>(about: About, fields: z.ZodMiniType): Field<T> {
  const isObject = z.unknown().check(inspected((given) => mistakeInRecord(given, about.counted)));
  const schema = z.pipe(isObject, fields) as z.ZodMiniType as Field<T>;
  objects.add(schema, about);
  return schema;
}

/** Returns the text of an error without its path, in the form that a call uses. */
function explain(says: FieldRule['says'], given: unknown): string {
  const { expected = 'another value', received = describe(given) } =
    typeof says === 'string' ? { expected: says } : (says(given) ?? {});
  return `expected ${expected}, got ${received}`;
}

const maybe = <T>(schema: Field<T>): Field<T | null | undefined> => z.nullish(schema) as Field<T | null | undefined>;

const id = (): Field<string> => value('text', isGivenId, inspectId);
const requiredId = (): Field<string> => value('text', isRequiredId, inspectRequiredId);
const text = (): Field<string> => value('text', isText, EXPECTED_ID);
const string = (): Field<string> => value('text', isString, 'a string');
const object = (): Field<AnyObject> => value('object', isRecord, 'a plain object');

const each = { holds: isSwitch, says: 'true, false or a plain object' };

/** `z.record` accepts no class instances, and ignores a field called `__proto__`. */
const integrations = objectOf<IntegrationsInput>(
  { name: 'Integrations', counted: 'destinations', each },
  z.unknown().check(inspected((given) => mistakeInEach(given as object, required(each.holds, each.says)))),
);

const context = objectOf<ContextInput>(
  { name: 'Context', counted: 'fields' },
  z.looseObject({ integrations: maybe(integrations) }),
);

const pageProperties = objectOf<PagePropertiesInput>(
  { name: 'PageProperties' },
  z.looseObject({ url: maybe(string()), title: maybe(string()), referrer: maybe(string()), path: maybe(string()) }),
);

/** The fields of every call. An error reports the first wrong one, in this order. */
export const commonSchemas: { readonly [K in keyof CommonFields]-?: Field<CommonFields[K]> } = {
  userId: maybe(id()),
  anonymousId: maybe(id()),
  timestamp: maybe(value<Timestamp>('time', isTimestamp, inspectTimestamp)),
  messageId: maybe(value<string>('text', isMessageId, inspectMessageId)),
  context: maybe(context),
  integrations: maybe(integrations),
};

/** Fields of other types, which any message may contain. Collectors check them in messages of every type. */
export const otherSchemas = {
  groupId: maybe(value<unknown>('text', isOtherId, inspectOtherId)),
  previousId: maybe(value<unknown>('text', isOtherId, inspectOtherId)),
  properties: maybe(object()),
  traits: maybe(object()),
};

/** The rule for every message: it must identify a user. */
export const commonRules: readonly FieldRule[] = [{ holds: isIdentified, says: mistakeInIds }];

/** The description of a type of message. */
export interface MessageSchema<T extends MessageTypeName> {
  /** What such a message means. */
  readonly meaning: string;
  /** The fields that other types do not have, or do not require. */
  readonly own: { readonly [K in OwnField<T>]: Field<Calls[T][K]> };
  /** Rules that involve several fields. */
  readonly rules?: readonly FieldRule[];
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
    rules: [{ holds: namesPropertiesOnce, says: mistakeInNames }],
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
  const fields = { type: z.optional(z.literal(name, { error: ({ input }) => explain(JSON.stringify(name), input) })) };
  const together = [...commonRules, ...rules].flatMap(({ says }) =>
    typeof says === 'string' ? [] : [inspected(says)],
  );
  return objectOf(
    { name, counted: 'fields' },
    z.looseObject({ ...fields, ...otherSchemas, ...commonSchemas, ...own }).check(...together),
  );
};
