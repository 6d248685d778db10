import * as z from 'zod/mini';
import { meanings } from '../../base/options/schema-fields.js';
import { configSchema } from './schema.js';

/** The JSON Schema keywords that this schema uses. */
export interface ConfigJsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, ConfigJsonSchema>>;
  readonly items?: ConfigJsonSchema;
  readonly oneOf?: readonly ConfigJsonSchema[];
  readonly anyOf?: readonly ConfigJsonSchema[];
  readonly const?: unknown;
  readonly [keyword: string]: unknown;
}

const REFERENCE = {
  type: 'string',
  pattern: '\\$\\{([A-Za-z_][A-Za-z0-9_]*|file:[^{}]+)\\}',
  description: 'From the environment, or from a file.',
};
const CONSTRAINTS = ['type', 'pattern', 'enum', 'const', 'minimum', 'maximum'] as const;

/** Returns the schema of a configuration file. Where a value must be more than just any text, it also accepts `${NAME}`. */
export function configJsonSchema(): ConfigJsonSchema {
  const override = ({ jsonSchema: node }: { jsonSchema: Record<string, unknown> }): void => {
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
  };
  // Every editor supports draft 7.
  const schema = z.toJSONSchema(configSchema, { target: 'draft-7', io: 'input', metadata: meanings, override });
  const title = 'The configuration of eventferry serve';
  return { ...(schema as ConfigJsonSchema), title, definitions: { variable: REFERENCE } };
}

function isConstrained({ type, pattern, const: only, enum: names }: Record<string, unknown>): boolean {
  if (type === 'integer' || type === 'boolean') return true;
  return type === 'string' && (pattern ?? only ?? names) !== undefined;
}
