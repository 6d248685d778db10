import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MessageTypeName } from '../../../src/protocol/calls.js';
import { messageTypes } from '../../../src/protocol/message-checks.js';
import type { MessageType } from '../../../src/protocol/message-type.js';
import { toIso } from '../../../src/protocol/timestamp.js';
import { NEEDED } from '../../support/sample-calls.js';

/** Almost valid values for every kind of field, and any other values. */
const values = fc.oneof(
  fc.constantFrom(
    '',
    'text',
    'x'.repeat(100),
    'x'.repeat(101),
    '2024-02-29',
    '2023-02-29',
    0,
    42,
    Number.NaN,
    true,
    null,
    undefined,
  ),
  fc.constantFrom<unknown>(
    {},
    [],
    new Map(),
    new Date(0),
    new Date(Number.NaN),
    Object.create(null),
    () => 1,
    1n,
    Symbol('s'),
  ),
  fc.constantFrom<unknown>(
    { integrations: { A: 1 } },
    { integrations: {} },
    { integrations: null },
    { A: null },
    { url: null, title: '' },
    { A: true },
    { A: undefined },
  ),
  fc.constantFrom<unknown>({ url: 1 }, { url: 'u', path: undefined }, { toJSON: () => ({}) }, { __proto__: { A: 1 } }),
  fc.constant(JSON.parse('{"__proto__":5}')),
  fc.anything({ withDate: true, withMap: true, withNullPrototype: true, withBigInt: true }),
);

const names = [
  'userId',
  'anonymousId',
  'timestamp',
  'messageId',
  'context',
  'integrations',
  'event',
  'properties',
  'traits',
  'groupId',
  'previousId',
  'category',
  'name',
];

/** Fields that are mostly valid, so that a single wrong one decides. */
const messages = fc
  .dictionary(fc.constantFrom(...names), values, { maxKeys: 3 })
  .map((wrong) => ({ ...NEEDED, ...wrong }) as Record<string, unknown>);

test.each(Object.keys(messageTypes) as MessageTypeName[])(
  'the guard of %s accepts exactly the messages without a mistake',
  (name) => {
    const type: MessageType = messageTypes[name];
    fc.assert(
      fc.property(messages, (message) => {
        const fields = type.read(message);
        const guarded = type.holds(fields) && (fields.timestamp == null || toIso(fields.timestamp) !== undefined);
        expect(guarded).toBe(type.mistakeIn(fields) === undefined);
      }),
      { numRuns: 3_000 },
    );
  },
);
