import { expect, test } from 'vitest';
import type { Sync } from '../../../src/service/audiences/audience-record.js';
import { identifyOf } from '../../../src/service/audiences/identify-of.js';

const sync: Sync = {
  ...{ id: 's1', kind: 'replace', phase: 'applying', at: 1_000 },
  ...{ received: 0, applied: 0, joined: 0, changed: 0, left: 0 },
};
const user = { key: 'member/high_value/ann', value: undefined, userId: 'ann', isKnown: true };

test.each([
  ['audience', 'true', true],
  ['audience', undefined, false],
  ['trait', '{"tier":"gold"}', { tier: 'gold' }],
  ['trait', undefined, null],
] as const)('the message of an %s for a user whose value is %s has the trait value %j', (kind, json, value) => {
  const named = { kind, name: 'High Value', trait: 'high_value' };
  expect(identifyOf(named, sync, { ...user, json })).toEqual({
    type: 'identify',
    messageId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    userId: 'ann',
    traits: { high_value: value },
    timestamp: '1970-01-01T00:00:01.000Z',
    receivedAt: '1970-01-01T00:00:01.000Z',
    context: { [kind]: { name: 'High Value', sync: 's1' } },
  });
});

test('the message has the same id each time it is made, and another id for another user, value or change', () => {
  const named = { kind: 'trait', name: 'Score', trait: 'score' } as const;
  const idOf = (json: string | undefined, userId = 'ann', id = 's1'): string =>
    identifyOf(named, { ...sync, id }, { ...user, userId, json }).messageId;
  expect(idOf('1')).toBe(idOf('1'));
  expect(new Set([idOf('1'), idOf('2'), idOf(undefined), idOf('1', 'bob'), idOf('1', 'ann', 's2')]).size).toBe(5);
});
