import { expect, test } from 'vitest';
import { liftIntegrations, mergeIntegrations } from '../../src/protocol/integrations.js';
import { commonInspections } from '../../src/protocol/message-checks.js';
import { errorOf } from './calling.js';

test.each([{}, { All: false, Webhooks: true }, { All: null }, { Webhooks: { key: 1 } }])(
  'integrations may be %j',
  (integrations) => {
    expect(commonInspections.integrations(integrations)).toBeUndefined();
    expect(errorOf('identify', { userId: 'u', integrations })).toBe('accepted');
  },
);

test.each([
  ['all', 'integrations: expected a plain object, got string "all"'],
  [[], 'integrations: expected a plain object, got an array'],
  [{ Webhooks: 'yes' }, 'integrations.Webhooks: expected true, false or a plain object, got string "yes"'],
  [{ A: true, B: [] }, 'integrations.B: expected true, false or a plain object, got an array'],
])('integrations of %j are refused, and the error names the destination', (integrations, error) => {
  expect(commonInspections.integrations(integrations)).toBeDefined();
  expect(errorOf('identify', { userId: 'u', integrations })).toBe(`identify.${error}`);
});

test('integrations in the context are merged below those of the top level, and the context itself is not changed', () => {
  const context = { ip: '1', integrations: { All: false, Webhooks: false } };
  const message = { context, integrations: { Webhooks: true } };
  liftIntegrations(message);
  expect(message).toEqual({ context: { ip: '1' }, integrations: { All: false, Webhooks: true } });
  expect(context.integrations).toEqual({ All: false, Webhooks: false });
});

test.each<[unknown, unknown, unknown]>([
  [{ All: false }, undefined, { All: false }],
  [{ All: false }, null, { All: false }],
  [{ All: false }, [], { All: false }],
  [[], { All: false }, { All: false }],
  [null, { All: false }, { All: false }],
  [{ Webhooks: false }, { Webhooks: null, Mail: null }, { Webhooks: false, Mail: null }],
  [{ All: false }, { All: undefined, Mail: undefined }, { All: false }],
  ['none', { All: true }, 'none'],
  [{ All: false }, 'all', 'all'],
])('integrations %j below %j are merged to %j', (lower, upper, merged) => {
  expect(mergeIntegrations(lower, upper)).toEqual(merged);
});

test('integrations named __proto__ are merged as a plain key', () => {
  const merged = mergeIntegrations(
    JSON.parse('{"__proto__":{"a":1}}'),
    JSON.parse('{"All":false,"__proto__":{"b":1}}'),
  );
  expect(JSON.stringify(merged)).toBe('{"__proto__":{"b":1},"All":false}');
});
