import { expect, test } from 'vitest';
import { isIntegrations } from '../../src/protocol/integrations.js';
import { errorOf } from './calling.js';

test.each([{}, { All: false, Webhooks: true }, { All: null }, { Webhooks: { key: 1 } }])(
  'integrations may be %j',
  (integrations) => {
    expect(isIntegrations(integrations)).toBe(true);
    expect(errorOf('identify', { userId: 'u', integrations })).toBe('accepted');
  },
);

test.each([
  ['all', 'integrations: expected a plain object, got string "all"'],
  [[], 'integrations: expected a plain object, got an array'],
  [{ Webhooks: 'yes' }, 'integrations.Webhooks: expected true, false or a plain object, got string "yes"'],
  [{ A: true, B: [] }, 'integrations.B: expected true, false or a plain object, got an array'],
])('integrations of %j are refused, with the destination at fault', (integrations, error) => {
  expect(isIntegrations(integrations)).toBe(false);
  expect(errorOf('identify', { userId: 'u', integrations })).toBe(`identify.${error}`);
});
