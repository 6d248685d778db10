import { expect, test } from 'vitest';
import { commonInspections } from '../../src/protocol/message-checks.js';
import { errorOf } from './calling.js';

test.each([{}, { ip: 7, other: [] }, { integrations: null }, { integrations: { All: false } }])(
  'a context may be %j',
  (context) => {
    expect(commonInspections.context(context)).toBeUndefined();
    expect(errorOf('identify', { userId: 'u', context })).toBe('accepted');
  },
);

test.each([
  [1, 'track.context: expected a plain object, got number 1'],
  [[], 'track.context: expected a plain object, got an array'],
  [{ integrations: [] }, 'track.context.integrations: expected a plain object, got an array'],
  [
    { integrations: { 'Google Ads': 1 } },
    'track.context.integrations["Google Ads"]: expected true, false or a plain object, got number 1',
  ],
])('a context of %j is refused, with the path to the mistake', (context, error) => {
  expect(commonInspections.context(context)).toBeDefined();
  expect(errorOf('track', { userId: 'u', event: 'e', context })).toBe(error);
});
