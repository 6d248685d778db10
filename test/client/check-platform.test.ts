import { expect, test } from 'vitest';
import { checkPlatform } from '../../src/client/check-platform.js';
import { nodePlatform } from '../../src/client/platform.js';
import { Analytics } from '../../src/index.js';

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
