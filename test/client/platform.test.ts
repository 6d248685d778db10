import { expect, test } from 'vitest';
import { checkPlatform, nodePlatform } from '../../src/client/platform.js';
import { Analytics } from '../../src/index.js';

test('each id of the platform is a different UUID, and its random numbers are in [0, 1)', () => {
  const ids = Array.from({ length: 300 }, () => nodePlatform.newId());
  expect(new Set(ids).size).toBe(300);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  const chance = nodePlatform.random();
  expect(chance >= 0 && chance < 1).toBe(true);
});

const options = { writeKey: 'dev', endpoint: 'http://127.0.0.1:1' };

test('a platform that a test passes is used unchanged', () => {
  const platform = { ...nodePlatform, random: () => 0.5 };
  expect(checkPlatform(platform)).toBe(platform);
});

test.each<[unknown, string]>([
  [{ flushAt: 1 }, 'got an object as the second'],
  ['very-secret', 'got a string of 11 characters as the second'],
  [null, 'got null as the second'],
])('%j as the second argument is refused, because options there would have no effect', (second, received) => {
  expect(() => new Analytics(options, second as never)).toThrow(
    `Expected \`new Analytics\` to be called with one object of all options, ${received}`,
  );
});
