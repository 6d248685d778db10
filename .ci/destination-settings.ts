/**
 * Writes the types of a destination's settings from their schema into `src/destination/settings/destination-settings.ts`. A test fails when the file is
 * not what this writes.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { meanings, object } from '../src/base/options/schema-fields.js';
import { settingFields } from '../src/destination/settings/destination-schema.js';

export const FILE = fileURLToPath(new URL('../src/destination/settings/destination-settings.ts', import.meta.url));

interface Field {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Field;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Field | false;
  readonly description?: string;
  readonly default?: unknown;
}

/** The objects inside of the settings, by the field that holds them. */
const NAMES: Readonly<Record<string, string>> = {
  webhooks: 'WebhookOptions',
  maxBacklog: 'BacklogLimit',
  maxDeadLetters: 'DeadLetterLimit',
};

export function settingsTypes(): string {
  const schema = z.toJSONSchema(object(settingFields), { io: 'input', metadata: meanings }) as Field;
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, { items, ...field }]) => {
    const type = NAMES[name];
    return type === undefined
      ? []
      : [
          interfaceOf(
            type,
            `The ${name === 'webhooks' ? 'options of a webhook' : `bounds of \`${name}\``}.`,
            items ?? field,
          ),
        ];
  });
  return [
    '/** Made by .ci/destination-settings.ts from the schema in destination-schema.ts; do not edit. */\n',
    interfaceOf('DestinationSettings', 'The settings of a destination.', schema),
    ...inner,
  ].join('\n');
}

function interfaceOf(name: string, comment: string, { properties = {}, required = [] }: Field): string {
  const members = Object.entries(properties).map(([key, field]) => {
    const isRequired = required.includes(key);
    const fallback =
      field.default === undefined || NAMES[key] !== undefined ? '' : ` @default ${literal(field.default)}`;
    const type = NAMES[key] ?? typeOf(field);
    const member = isRequired ? `${key}: ${listOf(field, type)}` : `${key}?: ${listOf(field, type)} | undefined`;
    return `  /** ${field.description}${fallback} */\n  ${member};\n`;
  });
  return `/** ${comment} */\nexport interface ${name} {\n${members.join('')}}\n`;
}

/** A list holds the named type. */
const listOf = ({ type }: Field, inner: string): string =>
  type === 'array' && !inner.startsWith('readonly') ? `readonly ${inner}[]` : inner;

function typeOf({ type, enum: names, items, additionalProperties }: Field): string {
  if (names !== undefined) return names.map((name) => `'${name}'`).join(' | ');
  if (type === 'integer') return 'number';
  if (type === 'array')
    return items?.enum === undefined ? `readonly ${typeOf(items ?? {})}[]` : `readonly (${typeOf(items)})[]`;
  if (type === 'object') return `Readonly<Record<string, ${typeOf(additionalProperties || {})}>>`;
  return type ?? 'unknown';
}

const literal = (value: unknown): string =>
  typeof value === 'number'
    ? String(value).replace(/\B(?=(\d{3})+$)/g, '_')
    : typeof value === 'string'
      ? `'${value}'`
      : JSON.stringify(value);

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, settingsTypes());
