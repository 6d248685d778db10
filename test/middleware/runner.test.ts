import { expect, test } from 'vitest';
import { checkMiddleware, isRunner } from '../../src/middleware/runner.js';

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [{ track: () => {} }, 'an object'],
  [() => {}, 'a function'],
])('%s is no client of a middleware', (given, received) => {
  expect(isRunner(given)).toBe(false);
  expect(() => checkMiddleware('koaMiddleware', given, {})).toThrow(`got ${received}. Write koaMiddleware(analytics, `);
});

test('what has a `run` is a client of a middleware, and its options are checked', () => {
  const runner = { run: <T>(_: object, act: () => T) => act() };
  checkMiddleware('koaMiddleware', runner, { userAgent: true });
  expect(() => checkMiddleware('koaMiddleware', runner, { useragent: true })).toThrow('Did you mean `userAgent`?');
});
