import applicator from 'ajv/dist/refs/json-schema-2020-12/meta/applicator.json' with { type: 'json' };
import content from 'ajv/dist/refs/json-schema-2020-12/meta/content.json' with { type: 'json' };
import format from 'ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json' with { type: 'json' };
import annotations from 'ajv/dist/refs/json-schema-2020-12/meta/meta-data.json' with { type: 'json' };
import unevaluated from 'ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json' with { type: 'json' };
import validation from 'ajv/dist/refs/json-schema-2020-12/meta/validation.json' with { type: 'json' };

/** What a keyword's value contains. `values` is plain data, in which a `$ref` has no meaning. */
export type Held = 'schema' | 'schemas' | 'schemas by name' | 'values';

const vocabularies = [applicator, unevaluated, validation, annotations, format, content];

/**
 * The keywords of draft 2020-12 that a plan may use, and `definitions` of earlier drafts. Those that give a schema an identity,
 * such as `$id`, are not among them.
 */
export const KEYWORDS: ReadonlyMap<string, Held> = new Map<string, Held>([
  ['$comment', 'values'],
  ['$ref', 'values'],
  ['$schema', 'values'],
  ['$defs', 'schemas by name'],
  ['definitions', 'schemas by name'],
  ...vocabularies.flatMap(({ properties }) =>
    Object.entries(properties).map(([name, meta]) => [name, heldBy(meta)] as const),
  ),
]);

/** Reads what a keyword holds from its description in the meta-schema. */
function heldBy(meta: { $dynamicRef?: string; $ref?: string; additionalProperties?: object }): Held {
  if (meta.$dynamicRef !== undefined) return 'schema';
  if (meta.$ref === '#/$defs/schemaArray') return 'schemas';
  return meta.additionalProperties !== undefined && '$dynamicRef' in meta.additionalProperties
    ? 'schemas by name'
    : 'values';
}
