/** A JSON Schema of draft 2020-12. `true` takes every value, `false` takes none. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** What events there are, as it stands in the file of a tracking plan. */
export interface Plan {
  /** Where the schema of this file is, for editors. */
  readonly $schema?: string | undefined;
  readonly description?: string | undefined;
  /** By the name of a track event: the schema of its `properties`. */
  readonly events: { readonly [name: string]: JsonSchema };
  /** The schema of the `traits` of `identify`. @default all */
  readonly identify?: JsonSchema | undefined;
  /** The schema of the `traits` of `group`. @default all */
  readonly group?: JsonSchema | undefined;
  /** The schema of the `properties` of `page`. @default all */
  readonly page?: JsonSchema | undefined;
  /** The schema of the `properties` of `screen`. @default all */
  readonly screen?: JsonSchema | undefined;
  /** Schemas that others refer to: `{ "$ref": "#/$defs/money" }`. */
  readonly $defs?: { readonly [name: string]: JsonSchema } | undefined;
}

/** The types of message whose object one schema describes, beside the track events. */
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
