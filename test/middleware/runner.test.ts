import { expect, test } from 'vitest';
import { checkMiddleware, isRunner } from '../../src/middleware/runner.js';

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [{ track: () => {} }, 'an object'],
  [() => {}, 'a function'],
])('a middleware refuses %s as a client', (given, received) => {
  expect(isRunner(given)).toBe(false);
  expect(() => checkMiddleware('koaMiddleware', given, {})).toThrow(`got ${received}. Write koaMiddleware(analytics, `);
});

test('a middleware accepts any object with a `run` as a client, and checks its options', () => {
  const runner = { run: <T>(_: object, act: () => T) => act() };
  checkMiddleware('koaMiddleware', runner, { userAgent: true });
  expect(() => checkMiddleware('koaMiddleware', runner, { useragent: true })).toThrow('Did you mean `userAgent`?');
});
