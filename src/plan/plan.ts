/** A JSON Schema of draft 2020-12. `true` accepts every value, `false` accepts none. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** The content of a tracking plan's file. */
export interface Plan {
  /** The URL of this file's schema, for editors. */
  readonly $schema?: string | undefined;
  readonly description?: string | undefined;
  /** The schema of each track event's `properties`, by the event's name. */
  readonly events: { readonly [name: string]: JsonSchema };
  /** The schema of the `traits` of `identify`. @default any object */
  readonly identify?: JsonSchema | undefined;
  /** The schema of the `traits` of `group`. @default any object */
  readonly group?: JsonSchema | undefined;
  /** The schema of the `properties` of `page`. @default any object */
  readonly page?: JsonSchema | undefined;
  /** The schema of the `properties` of `screen`. @default any object */
  readonly screen?: JsonSchema | undefined;
  /** Schemas that others refer to: `{ "$ref": "#/$defs/money" }`. */
  readonly $defs?: { readonly [name: string]: JsonSchema } | undefined;
}

/** The message types other than `track` that a plan can describe, each with one schema. */
export const DESCRIBED_TYPES = ['identify', 'group', 'page', 'screen'] as const;
export type DescribedType = (typeof DESCRIBED_TYPES)[number];

/** The field of a message that a plan describes. */
export const describedField = (type: 'track' | DescribedType): 'properties' | 'traits' =>
  type === 'identify' || type === 'group' ? 'traits' : 'properties';

/** A schema of a plan and its place. */
export interface PlannedSchema {
  readonly keys: readonly [string, ...string[]];
  readonly schema: JsonSchema;
}

/** All schemas of messages, in the order of the plan. */
export const plannedSchemas = (plan: Plan): PlannedSchema[] => [
  ...Object.entries(plan.events).map(([name, schema]): PlannedSchema => ({ keys: ['events', name], schema })),
  ...DESCRIBED_TYPES.flatMap((type): PlannedSchema[] => {
    const schema = plan[type];
    return schema === undefined ? [] : [{ keys: [type], schema }];
  }),
];
