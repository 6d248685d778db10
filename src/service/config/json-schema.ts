import * as z from 'zod/mini';
import { type Keys, valueAt } from './places.js';
import { configSchema, meanings } from './schema.js';

/** The keywords of JSON Schema that ours uses. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly [keyword: string]: unknown;
}

/** Draft 7, because every editor reads it. */
const toJsonSchema = (override: (node: Record<string, unknown>) => void): JsonSchema =>
  z.toJSONSchema(configSchema, {
    target: 'draft-7',
    io: 'input',
    metadata: meanings,
    override: ({ jsonSchema }) => override(jsonSchema),
  }) as JsonSchema;

let plain: JsonSchema | undefined;

/** The schema of the value at a path, after its references were replaced. */
export function schemaAt(value: unknown, keys: Keys): JsonSchema | undefined {
  plain ??= toJsonSchema(() => {});
  let schema: JsonSchema | undefined = plain;
  for (const [depth, key] of keys.entries()) {
    schema =
      typeof key === 'number' ? schema?.items : chosen(schema, valueAt(value, keys.slice(0, depth)))?.properties?.[key];
  }
  return chosen(schema, valueAt(value, keys));
}

/** Of alternatives, the one with the value's `type`, or with the default one, or the one that is an object. */
function chosen(schema: JsonSchema | undefined, value: unknown): JsonSchema | undefined {
  const type = valueAt(value, ['type']);
  return (
    schema?.oneOf?.find(({ properties }) => {
      const { const: only, default: otherwise } = properties?.['type'] ?? {};
      return only === (type ?? otherwise);
    }) ??
    schema?.anyOf?.find(({ properties }) => properties !== undefined) ??
    schema
  );
}

const REFERENCE = {
  type: 'string',
  pattern: '\\$\\{([A-Za-z_][A-Za-z0-9_]*|file:[^{}]+)\\}',
  description: 'From the environment, or from a file.',
};
const CONSTRAINTS = ['type', 'pattern', 'enum', 'const', 'minimum', 'maximum'] as const;

/** The schema of a file as it is written: it also takes `${NAME}` where a value is not just any text. */
export function configJsonSchema(): JsonSchema {
  const schema = toJsonSchema((node) => {
    if (node['oneOf'] !== undefined) {
      // Both may hold where the `type` is a variable.
      node['anyOf'] = node['oneOf'];
      delete node['oneOf'];
    }
    if (!isConstrained(node)) return;
    const written: Record<string, unknown> = {};
    for (const keyword of CONSTRAINTS) {
      if (node[keyword] !== undefined) written[keyword] = node[keyword];
      delete node[keyword];
    }
    node['anyOf'] = [written, { $ref: '#/definitions/variable' }];
  });
  return { ...schema, title: 'The configuration of eventferry serve', definitions: { variable: REFERENCE } };
}

function isConstrained({ type, pattern, const: only, enum: names }: Record<string, unknown>): boolean {
  if (type === 'integer' || type === 'boolean') return true;
  return type === 'string' && (pattern ?? only ?? names) !== undefined;
}
