import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writtenFiles } from '../../.ci/messages.js';
import { ValidationError } from '../../src/base/errors/errors.js';
import type { MessageTypeName } from '../../src/protocol/calls.js';
import { MESSAGE_TYPES } from '../../src/protocol/field-table.js';
import { messageTypes } from '../../src/protocol/message-checks.js';
import { normalize } from '../../src/protocol/normalize.js';
import { messageSchema, type SchemaField } from '../../src/protocol/schemas.js';
import { NEEDED } from '../support/sample-calls.js';
import { stamp } from './calling.js';

test.each(writtenFiles())('%s equals what the generator writes from the schemas', (path, content) => {
  const written = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  expect(written, 'it is older than the schemas: run `npx tsx .ci/messages.ts`').toBe(content);
});

/** Returns the place and the text of a call's error for the message. */
function errorOfCall(type: MessageTypeName, message: unknown): { place: string; text: string } | undefined {
  try {
    normalize(messageTypes[type], message, {}, stamp);
    return undefined;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { place: error.path, text: `expected ${error.expected}, got ${error.received}` };
  }
}

const issuesOf = (type: MessageTypeName, message: unknown) =>
  messageSchema(type).safeParse(message).error?.issues ?? [];

const NAMES = [...new Set(MESSAGE_TYPES.flatMap((type) => [...messageTypes[type].fields]))];

const value = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    0,
    true,
    [],
    {},
    new Map(),
    new Date(0),
    new Date('x'),
    () => {},
    '\ud800',
  ),
  fc.constantFrom<unknown>('x'.repeat(101), 'x'.repeat(9_000), { url: 5 }, { url: 'u', path: null }, { title: [] }),
  fc.constantFrom<unknown>({ All: false }, { All: 'no' }, { integrations: 1 }, { integrations: { All: 1 } }),
  fc.constantFrom<unknown>('track', 'undefined', '[object Object]', 'null', '2026-11-20T12:00:00Z', '2026-11-20', 1e9),
);

test.each(MESSAGE_TYPES)(
  'the schema of %s and the call agree on every message, and on the text of each mistake',
  (type) => {
    const changes = fc.array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 3 });
    fc.assert(
      fc.property(changes, (changed) => {
        const message = { ...NEEDED, ...Object.fromEntries(changed) };
        const error = errorOfCall(type, message);
        const issues = issuesOf(type, message);
        expect(issues.length > 0, JSON.stringify(issues)).toBe(error !== undefined);
        if (error === undefined || issues.length !== 1) return;
        const [{ path, message: text } = { path: [], message: '' }] = issues;
        expect([[type, ...path].join('.'), text]).toEqual([error.place, error.text]);
      }),
      { numRuns: 2_000 },
    );
  },
);

test('a schema reports all mistakes together, including those that involve several fields', () => {
  const message = { event: 7, context: { integrations: { All: 'no' } }, properties: [] };
  expect(issuesOf('track', message).map(({ path }) => path.join('.'))).toEqual(
    expect.arrayContaining(['event', 'context.integrations.All', 'properties', 'userId']),
  );
  const named = { userId: 7, event: 'e', properties: { url: 'a' }, traits: { url: 'b' } };
  expect(issuesOf('page', named).map(({ path }) => path.join('.'))).toEqual(
    expect.arrayContaining(['userId', 'traits']),
  );
});

test.each<[string, unknown]>([
  ['a text', 'x'],
  ['nothing', undefined],
  ['null', null],
  ['a list', [{ userId: 'u1' }]],
])('the schema of a message refuses %s', (_, given) => {
  expect(issuesOf('track', given)).toMatchObject([
    { path: [], message: expect.stringContaining('expected a plain object, got') },
  ]);
});

test('a schema reports every mistake at once', () => {
  const issues = issuesOf('track', { userId: 7, event: '', context: { integrations: { All: 'yes' } } });
  expect(issues.map(({ path }) => path.join('.'))).toEqual(['userId', 'context.integrations.All', 'event']);
});

test('a schema that accepts more or less than the interface does not compile', () => {
  const takes = <T>(field: SchemaField<T>): SchemaField<T> => field;
  const text = {} as SchemaField<string>;
  const maybeText = {} as SchemaField<string | null | undefined>;
  // @ts-expect-error: the interface allows null
  takes<string | null | undefined>(text);
  // @ts-expect-error: the interface requires text
  takes<string>(maybeText);
  expect(takes<string>(text)).toBe(text);
});

test.each<[string, MessageTypeName, object, string[]]>([
  [
    'an instance of a class as integrations',
    'track',
    {
      integrations: new (class {
        All = false;
      })(),
    },
    [],
  ],
  ['a symbol in integrations', 'track', { integrations: { [Symbol('a')]: true } }, []],
  [
    'a wrong `__proto__` in integrations',
    'track',
    { integrations: JSON.parse('{"__proto__":5}') },
    ['integrations.__proto__'],
  ],
  ['null in a field of another type', 'track', { traits: null, groupId: null }, []],
  ['nobody, and a wrong event', 'track', { userId: null, event: 5 }, ['event', 'userId']],
  ['two names for properties, and a wrong name', 'page', { name: 5, properties: {}, traits: {} }, ['name', 'traits']],
])('the schema and the call judge %s in the same way, and the schema finds every mistake', (_, type, fields, paths) => {
  const message = { ...NEEDED, ...fields };
  expect(issuesOf(type, message).map(({ path }) => path.join('.'))).toEqual(paths);
  expect(errorOfCall(type, message)?.place).toBe(paths.length === 0 ? undefined : `${type}.${paths[0]}`);
});
