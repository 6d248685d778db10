import { expect, test } from 'vitest';
import { checkDiscard } from '../../../src/destination/changes/delivery-filter.js';

test.each([
  [{ state: 'gone' }, 'state'],
  [{ state: 'waiting', reason: 'permanent' }, 'reason'],
  [{ state: 'waiting', diedBefore: 0 }, 'diedBefore'],
  [{ from: 'soon' }, 'from'],
  [{ user: [''] }, 'user'],
  [{ size: 3 }, 'size'],
  [{ reason: 'foo' }, 'reason'],
  [{ type: 'zz' }, 'type'],
  [{ status: '99' }, 'status'],
  [{ status: 'no answer' }, 'status'],
])('a discard of %j is refused for `%s`', (filter, option) => {
  expect(() => checkDiscard(filter)).toThrow(expect.objectContaining({ option }));
});

test('a discard of waiting deliveries, and one with every filter of dead letters, is valid', () => {
  checkDiscard({ state: 'waiting', event: 'A', status: '5xx' });
  checkDiscard({ endpointPart: 'example', attemptedFrom: 0, attemptedTo: new Date(), reason: 'permanent' });
});
