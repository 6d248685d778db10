import { expect, test } from 'vitest';
import { Claims } from '../../src/store/claims.js';
import { CLAIM_MS } from '../../src/store/message-id-store.js';

test('a claim keeps others out until it ends', () => {
  const claims = new Claims();
  expect([claims.take('a', 0), claims.take('a', 0), claims.take('b', 0)]).toEqual([true, false, true]);
  claims.end('a');
  expect(claims.take('a', 1)).toBe(true);
});

test('a claim ends by itself when its time is over, and the next one has its whole time', () => {
  const claims = new Claims();
  claims.take('a', 0);
  claims.take('b', 10);
  expect(claims.take('a', CLAIM_MS - 1)).toBe(false);
  expect(claims.take('a', CLAIM_MS)).toBe(true);
  expect(claims.take('b', CLAIM_MS + 5)).toBe(false);
  expect(claims.take('a', CLAIM_MS + 20)).toBe(false);
});
