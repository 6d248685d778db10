import { expect, test } from 'vitest';
import { mergeDefaults, resolveDefaults } from '../../../src/client/calls/defaults.js';

const resolved = (own: Parameters<typeof resolveDefaults>[0]) => resolveDefaults(own, 'run({}, act)');

test('resolveDefaults returns each field, with the integrations of the context at the top level', () => {
  const waitUntil = () => {};
  expect(resolved({})).toEqual({});
  expect(resolved({ userId: null as never, context: null as never })).toEqual({});
  expect(
    resolved({
      userId: 'u1',
      context: { ip: '1', integrations: { a: true, b: true } },
      integrations: { b: false },
      waitUntil,
    }),
  ).toEqual({ userId: 'u1', context: { ip: '1' }, integrations: { a: true, b: false }, waitUntil });
});

test.each([
  [{ userID: 'u1' }, 'Did you mean `userId`?'],
  [{ userId: true }, 'Expected `userId`'],
  [{ context: 'x' }, 'Expected `context`'],
  [{ waitUntil: 'x' }, 'Expected `waitUntil` to be a function, got string "x"'],
])('resolveDefaults refuses %j', (own, message) => {
  expect(() => resolved(own as never)).toThrow(message);
});

test('mergeDefaults prefers the nearer fields, and merges context and integrations key by key', () => {
  const [further, nearer] = [() => {}, () => {}];
  const all = resolved({ userId: 'u1', anonymousId: 'a1', context: { ip: '1', x: 1 }, waitUntil: further });
  expect(mergeDefaults(all, resolved({ userId: 'u2', context: { x: 2 }, integrations: { a: true } }))).toEqual({
    userId: 'u2',
    anonymousId: 'a1',
    context: { ip: '1', x: 2 },
    integrations: { a: true },
    waitUntil: further,
  });
  expect(mergeDefaults(all, resolved({ waitUntil: nearer })).waitUntil).toBe(nearer);
});
