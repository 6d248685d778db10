import { OptionError } from '../base/errors/errors.js';
import { checkNames, checkOptions, flag, type Rule, type Rules, text } from '../base/options/check-options.js';
import { describe } from '../base/text/describe.js';
import { formatPath } from '../protocol/path.js';
import type { Catalogue } from './catalogue.js';
import { checkInput } from './check-input.js';
import { type InputOf, isStandardSchema, type Standard, type StandardSchema, standardOf } from './standard-schema.js';
import type { Given } from './typed-calls.js';
import { unknownEvents } from './unknown-events.js';

/** The definition of an event: its schema, or an object with more about it. */
export type EventDefinition =
  | StandardSchema
  | {
      /** The schema of its properties. @default any object */
      readonly schema?: StandardSchema | undefined;
      /** When and why it is tracked. This is documentation; the client does not use it. */
      readonly description?: string | undefined;
    };

/** The schemas of the calls other than `track`. */
export interface CatalogueOptions {
  /** The schema of the traits of `identify`. @default any object */
  readonly identify?: StandardSchema | undefined;
  /** The schema of the traits of `group`. @default any object */
  readonly group?: StandardSchema | undefined;
  /** The schema of the properties of `page`. @default any object */
  readonly page?: StandardSchema | undefined;
  /** The schema of the properties of `screen`. @default any object */
  readonly screen?: StandardSchema | undefined;
  /** Allow events that the catalogue does not name, with any properties. @default false */
  readonly allowUnknown?: boolean | undefined;
}

type PropertiesOf<Definition> = Definition extends { readonly '~standard': infer S }
  ? Given<InputOf<S>>
  : Definition extends { readonly schema: { readonly '~standard': infer S } }
    ? Given<InputOf<S>>
    : Given<unknown>;

type OtherOf<Option> = Option extends { readonly '~standard': infer S } ? Given<InputOf<S>> : Option;

const EXAMPLE = "defineEvents({ 'Order Completed': schema })";

/** `standardOf` checks schemas, so this rule accepts anything. */
const schema: Rule = { expected: '', holds: () => true };

const OPTIONS: Rules<CatalogueOptions> = {
  identify: schema,
  group: schema,
  page: schema,
  screen: schema,
  allowUnknown: flag,
};

/** The types of messages, except `track`, that may have a schema. */
const CHECKED = ['identify', 'group', 'page', 'screen'] as const;

const DEFINITION: Rules<Exclude<EventDefinition, StandardSchema>> = { schema, description: text };

/**
 * Makes a catalogue of the events that `track` accepts, checked by the compiler and at each call. A schema may come
 * from any library that follows Standard Schema, such as zod, valibot or arktype. Schemas only check: the client sends
 * what the call was given, unchanged.
 *
 * @throws OptionError if a value is not a schema, or a schema declares that it is asynchronous
 * @example
 * const events = defineEvents({ 'Order Completed': z.object({ total: z.number() }) });
 * const analytics = new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1:4100', events });
 */
export function defineEvents<
  const Definitions extends Readonly<Record<string, EventDefinition>>,
  const Options extends CatalogueOptions = Record<never, never>,
>(
  definitions: Definitions,
  options?: Options,
): Catalogue<
  { -readonly [Name in keyof Definitions]: PropertiesOf<Definitions[Name]> },
  { -readonly [Name in keyof Options]: OtherOf<Options[Name]> }
>;
export function defineEvents(definitions: unknown, options: unknown = {}): Catalogue {
  checkNames(definitions, Object.keys(Object(definitions)), { door: 'client', at: 'events', example: EXAMPLE });
  const own = checkOptions(options, OPTIONS, { door: 'client', example: `${EXAMPLE.slice(0, -1)}, { … })` });
  const events = new Map(Object.entries(definitions).map(([name, given]) => [name, standardOfEvent(name, given)]));
  const unknown = unknownEvents([...events.keys()]);
  const { allowUnknown = false } = own;
  const others = new Map<string, Standard>();
  for (const name of CHECKED) if (own[name] !== undefined) others.set(name, standardOf(own[name], name));
  return {
    check(message) {
      const isTrack = message.type === 'track';
      if (isTrack && !events.has(message.event)) return allowUnknown ? undefined : unknown(message.event);
      const standard = isTrack ? events.get(message.event) : others.get(message.type);
      if (standard === undefined) return undefined;
      const field = message.type === 'identify' || message.type === 'group' ? 'traits' : 'properties';
      return checkInput(standard, message, field, (message as Partial<Record<typeof field, unknown>>)[field]);
    },
  };
}

function standardOfEvent(name: string, definition: unknown): Standard | undefined {
  const option = formatPath('events', [name]);
  if (isStandardSchema(definition)) return standardOf(definition, option);
  if (typeof definition !== 'object' || definition === null) {
    throw new OptionError('client', option, 'a Standard Schema, or { schema, description }', describe(definition));
  }
  const { schema } = checkOptions(definition, DEFINITION, { door: 'client', at: option });
  return schema === undefined ? undefined : standardOf(schema, `${option}.schema`);
}
