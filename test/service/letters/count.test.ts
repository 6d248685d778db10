import { expect, test } from 'vitest';
import { countDeadLetters } from '../../../src/service/letters/count.js';
import { withLetters } from '../support.js';

const url = 'http://127.0.0.1:9/hook';

test.each([
  [{}, 3],
  [{ endpoint: url }, 3],
  [{ endpoint: 'http://127.0.0.1:9/other' }, 0],
  [{ type: 'track' as const, reason: 'permanent' as const }, 3],
  [{ type: 'page' as const }, 0],
  [{ reason: 'window-over' as const }, 0],
  [{ from: new Date(1) }, 2],
  [{ to: new Date(1) }, 1],
  [{ from: new Date(1), to: new Date(2), endpoint: url }, 1],
  [{ from: new Date(1), type: 'page' as const }, 0],
])('the filter %j counts %i of three dead letters', async (filter, count) => {
  const { storage } = await withLetters(3, url);
  expect(await countDeadLetters(await storage.deliveries('crm'), filter)).toEqual({ deliveries: count });
});

test('a count between two times stops after about 10,000 dead letters, and reports that there are more', async () => {
  const { storage } = await withLetters(10_300, url);
  const store = await storage.deliveries('crm');
  expect(await countDeadLetters(store, { from: new Date(10) })).toEqual({ deliveries: 10_240, hasMore: true });
  expect(await countDeadLetters(store, { from: new Date(1_000) })).toEqual({ deliveries: 9_300 });
});
