import { expect, test } from 'vitest';
import { lookOfTime } from '../../src/protocol/look-of-time.js';
import { lookOfTime as lookOfTimeInWeb } from '../../src/protocol/platform/web.js';

test.each<[unknown, string | undefined]>([
  ['1732800000', 'Unix seconds as text: give `new Date(text * 1000)`'],
  ['/Date(1556703000000)/', 'JSON of .NET: give the number in it'],
  [{ toDate: () => new Date(0) }, 'an object of Moment, Day.js or the like: give its `toDate()`'],
  ['tomorrow', undefined],
  [undefined, undefined],
])('of the time %j it says what it looks like, if it knows', (value, look) => {
  expect(lookOfTime(value)).toBe(look);
});

test('an object that throws at every question looks like nothing', () => {
  const hostile = new Proxy({}, { has: () => expect.fail('asked') });
  expect(lookOfTime(hostile)).toBeUndefined();
});

test('the client for the web says nothing, to save room', () => {
  expect(lookOfTimeInWeb()).toBeUndefined();
});
