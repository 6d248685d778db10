/**
 * Writes what follows from the schemas of the messages, `src/protocol/schemas.ts`: the checks that a call runs, the table of fields, and the
 * types of messages, events and received messages. A test fails when a file is not what this writes.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as z from 'zod/mini';
import type { Inspect } from '../src/protocol/common.js';
import * as common from '../src/protocol/common.js';
import * as pageProperties from '../src/protocol/page-properties.js';
import { commonRules, commonSchemas, messageSchemas, objects, otherSchemas, values } from '../src/protocol/schemas.js';

const MADE = '/** Made by .ci/messages.ts from the schemas in src/protocol/schemas.ts; do not edit. */\n';

/** The modules that have the rules, by the names that a file beside them imports them by. */
const MODULES = {
  './common.js': common,
  './page-properties.js': pageProperties,
};

type Shape = Readonly<Record<string, z.ZodMiniType>>;

interface Type {
  readonly name: string;
  readonly meaning: string;
  readonly own: Shape;
  readonly rules?: readonly Inspect[];
  readonly finish?: (message: never) => void;
}

const types: readonly Type[] = Object.entries(messageSchemas).map(([name, type]) => ({
  name,
  ...(type as Omit<Type, 'name'>),
}));

/** What a field's schema says, without whether the field may be absent. */
function partsOf(schema: z.ZodMiniType) {
  const { def } = schema._zod as unknown as { def: { type: string; innerType: z.ZodMiniType } };
  const isOptional = def.type === 'optional';
  const inner = isOptional
    ? (def.innerType._zod as unknown as typeof schema._zod & { def: typeof def }).def.innerType
    : schema;
  return { isOptional, inner, value: values.get(inner), object: objects.get(inner) };
}

/** The functions that the checks call, of which each is imported by its name. */
class Imports {
  readonly #used = new Set<unknown>();

  of(used: unknown): string {
    this.#used.add(used);
    const [name] = exports.find(([, value]) => value === used) ?? [];
    if (name === undefined) throw new Error('A rule that no module exports');
    return name;
  }

  text(): string {
    return Object.entries(MODULES)
      .flatMap(([path, module]) => {
        const names = Object.entries(module).flatMap(([name, value]) => (this.#used.has(value) ? [name] : []));
        return names.length === 0 ? [] : [`import { ${names.join(', ')} } from '${path}';\n`];
      })
      .join('');
  }
}

const exports = Object.values(MODULES).flatMap((module): [string, unknown][] => Object.entries(module));

/** Writes the checks of the fields of an object or a message. */
class Checks {
  readonly imports = new Imports();
  /** The inspections of objects, each before those that use it. */
  readonly #objects = new Map<string, string>();

  declarations(): string {
    return [...this.#objects.values()].join('\n');
  }

  /** An expression for the function that finds the mistake in a field. */
  inspection(schema: z.ZodMiniType): string {
    const { inner, value, object } = partsOf(schema);
    if (object !== undefined) return this.#inspectObject(inner, object);
    if (value === undefined) throw new Error('A schema without a rule');
    return this.imports.of(value.inspect);
  }

  /** Expressions for the mistake in each field of an object. */
  mistakes(shape: Shape, place: (field: string) => string): string[] {
    return Object.entries(shape).map(
      ([field, schema]) => `${this.imports.of(common.at)}('${field}', ${this.inspection(schema)}(${place(field)}))`,
    );
  }

  #inspectObject(schema: z.ZodMiniType, about: { name: string; counted?: string; each?: Inspect }): string {
    const { name, counted, each } = about;
    const inspect = `inspect${name}`;
    const { out } = (schema._zod as unknown as { def: { out: z.ZodMiniType } }).def;
    const { shape = {} } = (out._zod as unknown as { def: { shape?: Shape } }).def;
    const inside =
      each === undefined
        ? this.mistakes(shape, (field) => `(value as Fields)['${field}']`)
        : [`${this.imports.of(common.mistakeInEach)}(value, ${this.imports.of(each)})`];
    const record = `${this.imports.of(common.mistakeInRecord)}(value${counted === undefined ? '' : `, '${counted}'`})`;
    this.#objects.set(
      inspect,
      `const ${inspect}: Inspect = (value) => value == null ? undefined : ${[record, ...inside].join(' ?? ')};\n`,
    );
    return inspect;
  }
}

/** The code that a call runs. */
function messageChecks(): string {
  const checks = new Checks();
  const inspections = (shape: Shape): string =>
    Object.entries(shape)
      .map(([name, schema]) => `${name}: ${checks.inspection(schema)}`)
      .join(', ');
  const ofEach = `export const commonInspections: Inspections<CommonFields> = { ${inspections(commonSchemas)} };\n`;
  const others = `export const otherInspections: Readonly<Record<string, Inspect>> = { ${inspections(otherSchemas)} };\n`;
  const ofMessage = (shape: Shape): string[] => checks.mistakes(shape, (field) => `message.${field}`);
  const together = (rules: readonly Inspect[]): string[] => rules.map((rule) => `${checks.imports.of(rule)}(message)`);
  const { timestamp: _, ...inspected } = commonSchemas;
  const inCommon = `const mistakeInCommonFields = (message: DraftFields): Mistake | undefined => ${ofMessage(inspected).join(' ?? ')};\n`;
  const made = types.map(({ name, own, rules = [], finish }) => {
    const mistakes = ['mistakeInCommonFields(message)', ...ofMessage(own), ...together([...commonRules, ...rules])];
    const members = [
      `name: '${name}'`,
      `own: [${Object.keys(own).map(quoted).join(', ')}]`,
      `read: (message) => ({ ${readsOf(name, own).join(', ')} })`,
      `mistakeIn: (message) => ${mistakes.join(' ?? ')}`,
      ...(finish === undefined ? [] : [`finish: ${checks.imports.of(finish)}`]),
    ];
    return `  ${name}: messageType(commonInspections, { ${members.join(', ')} }),\n`;
  });
  return [
    MADE,
    "import type { MessageTypeName } from './calls.js';\n",
    "import type { CommonFields, DraftFields, Inspect, Inspections, Mistake } from './common.js';\n",
    "import { messageType, type MessageType } from './message-type.js';\n",
    checks.imports.text(),
    '\ntype Fields = Readonly<Record<string, unknown>>;\n\n',
    '// These checks return only the first mistake. They run at every call, so they create no object for a correct message.\n\n',
    checks.declarations(),
    '\n/** An inspection of each field that every call has. */\n',
    ofEach,
    '\n/** Inspections of fields that only messages of other types have. */\n',
    others,
    '\n/** Leaves out the timestamp, because a call has to convert it anyway. */\n',
    inCommon,
    '\n/** The types of messages, by their names. */\n',
    `export const messageTypes: Readonly<Record<MessageTypeName, MessageType>> = {\n${made.join('')}};\n`,
    `
export const isMessageTypeName = (value: unknown): value is MessageTypeName =>
  typeof value === 'string' && Object.hasOwn(messageTypes, value);
`,
  ].join('');
}

const quoted = (text: string): string => `'${text}'`;

/** The fields in the order in which they are sent: a required field as it is, so that an error can show what is there instead of it. */
function readsOf(name: string, own: Shape): string[] {
  const raw = (field: string): string => `${field}: message.${field}`;
  const orNothing = (field: string): string => `${raw(field)} ?? undefined`;
  const ownReads = Object.entries(own)
    .filter(([field]) => !(field in commonSchemas))
    .map(([field, schema]) => (partsOf(schema).isOptional ? orNothing(field) : raw(field)));
  return [
    `type: '${name}'`,
    ...['messageId', 'timestamp', 'userId', 'anonymousId'].map(raw),
    ...ownReads,
    ...['context', 'integrations'].map(orNothing),
  ];
}

/** The fields of each type that a message of it has. */
function ownFields(): string {
  const rows = types.map(({ name, own }) => {
    const sent = Object.entries(own).filter(([field]) => !(field === 'traits' && 'properties' in own));
    const fields = sent.map(([field, schema]) => {
      const { isOptional, value } = partsOf(schema);
      return `${field}: { kind: '${value?.kind ?? 'object'}', isRequired: ${!isOptional} }`;
    });
    return `  ${name}: { ${fields.join(', ')} },\n`;
  });
  return `${MADE}\n/** The fields that only this type has, or requires. */\nexport const ownFields = {\n${rows.join('')}} as const;\n`;
}

const capitalized = (name: string): string => name.replace(/^./, (letter) => letter.toUpperCase());

function interfaces(comment: (type: Type) => string, nameOf: (type: string) => string, of: string): string {
  return types
    .map(
      (type) =>
        `/** ${comment(type)} */\nexport interface ${nameOf(capitalized(type.name))} extends ${of}<'${type.name}'> {}\n`,
    )
    .join('\n');
}

const union = (nameOf: (type: string) => string, more: readonly string[] = []): string =>
  [...types.map(({ name }) => nameOf(capitalized(name))), ...more].join(' | ');

const article = (name: string): string => (/^[aeiou]/.test(name) ? 'An' : 'A');

function message(): string {
  const nameOf = (type: string): string => `${type}Message`;
  return `${MADE}
import type { SentMessage } from './message-shapes.js';

${interfaces(({ name }) => `${article(name)} \`${name}\` as it is sent.`, nameOf, 'SentMessage')}
/** A message as it is sent: complete, with its id, and its time in UTC with milliseconds. */
export type Message = ${union(nameOf)};
`;
}

function webhookEvent(): string {
  const nameOf = (type: string): string => `${type}Event`;
  return `${MADE}
import type { DeleteEvent, Delivered } from './message-shapes.js';

${interfaces(({ meaning }) => meaning, nameOf, 'Delivered')}
/**
 * The event that one delivery carries, told apart by \`type\`. Fields that are not named here are kept as they came. The receiver
 * checks that \`context\`, \`properties\`, \`traits\` and \`integrations\` are objects; what is in them is the sender's.
 */
export type WebhookEvent = ${union(nameOf, ['DeleteEvent'])};

/** ${types.map(({ name }) => `\`${name}\``).join(', ')} or \`delete\`. */
export type WebhookEventType = WebhookEvent['type'];
`;
}

function receivedMessage(): string {
  const nameOf = (type: string): string => `Received${type}`;
  return `${MADE}
import type { Received } from './received-fields.js';

${interfaces(({ meaning }) => meaning, nameOf, 'Received')}
/**
 * A message as the collector hands it on: checked, with its times, and in the canonical form. Ids are text, times are in UTC with
 * milliseconds, an empty list in place of an object is an empty object; all else is as it was sent.
 */
export type ReceivedMessage = ${union(nameOf)};
`;
}

/** The files, by their paths in `src`. */
const FILES: Readonly<Record<string, () => string>> = {
  'protocol/message-checks.ts': messageChecks,
  'protocol/own-fields.ts': ownFields,
  'protocol/message.ts': message,
  'protocol/webhook-event.ts': webhookEvent,
  'collector/received-message.ts': receivedMessage,
};

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

/** The content of each file, by its path from the root of the package. */
export const writtenFiles = (): [path: string, content: string][] =>
  Object.entries(FILES).map(([name, write]) => {
    const path = `src/${name}`;
    const args = [BIOME, 'check', '--write', `--stdin-file-path=${path}`];
    return [path, execFileSync(process.execPath, args, { cwd: ROOT, input: write(), encoding: 'utf8' })];
  });

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, content] of writtenFiles()) writeFileSync(join(ROOT, path), content);
