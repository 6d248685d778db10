import * as z from 'zod/mini';
import { meanings } from '../../base/options/schema-fields.js';
import { configSchema } from './schema.js';

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

/** Makes a schema of draft 7, because every editor reads that. */
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

/** The schema of a file as it is written: it also takes `${NAME}` where a value is not just any text. */
export function configJsonSchema(): JsonSchema {
  const schema = toJsonSchema((node) => {
    if (node['oneOf'] !== undefined) {
      // Both alternatives may hold where the `type` is a variable.
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
