import { expect, test } from 'vitest';
import { nodePlatform } from '../../src/client/platform.js';

test('each id of the platform is a different UUID, and its random numbers are in [0, 1)', () => {
  const ids = Array.from({ length: 300 }, () => nodePlatform.newId());
  expect(new Set(ids).size).toBe(300);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  const chance = nodePlatform.random();
  expect(chance >= 0 && chance < 1).toBe(true);
});
