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
])('of three dead letters the filter %j counts %i', async (filter, count) => {
  const { storage } = await withLetters(3, url);
  expect(await countDeadLetters(await storage.deliveries('crm'), filter)).toBe(count);
});
