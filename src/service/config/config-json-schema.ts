import * as z from 'zod/mini';
import { meanings } from '../../base/options/schema-fields.js';
import { configSchema } from './schema.js';

/** The JSON Schema keywords that this schema uses. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly [keyword: string]: unknown;
}

/** Makes a draft 7 schema, because every editor supports that draft. */
const toJsonSchema = (override: (node: Record<string, unknown>) => void): JsonSchema =>
  z.toJSONSchema(configSchema, {
    target: 'draft-7',
    io: 'input',
    metadata: meanings,
    override: ({ jsonSchema }) => override(jsonSchema),
  }) as JsonSchema;

const REFERENCE = {
  type: 'string',
  pattern: '\\$\\{([A-Za-z_][A-Za-z0-9_]*|file:[^{}]+)\\}',
  description: 'From the environment, or from a file.',
};
const CONSTRAINTS = ['type', 'pattern', 'enum', 'const', 'minimum', 'maximum'] as const;

/** Returns the schema of a configuration file. Where a value must be more than just any text, it also accepts `${NAME}`. */
export function configJsonSchema(): JsonSchema {
  const schema = toJsonSchema((node) => {
    if (node['oneOf'] !== undefined) {
      // `oneOf` would fail if `type` is a variable, because both alternatives may then match.
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
