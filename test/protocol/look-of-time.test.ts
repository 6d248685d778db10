import { expect, test } from 'vitest';
import { lookOfTime } from '../../src/protocol/look-of-time.js';
import { lookOfTime as lookOfTimeInWeb } from '../../src/protocol/platform/web.js';

test.each<[unknown, string | undefined]>([
  ['1732800000', 'Unix seconds as text: give `new Date(text * 1000)`'],
  ['3732800000.25', 'Unix seconds as text: give `new Date(text * 1000)`'],
  ['4000000000', undefined],
  ['173280000000', 'milliseconds as text: give `Number(text)`'],
  ['17328000000000.5', 'milliseconds as text: give `Number(text)`'],
  ['17328000000', undefined],
  ['173280000000000', undefined],
  ['20190501T093000Z', 'basic ISO 8601: write it with - and :'],
  ['2019-05-01T09:30:00Z[Europe/Paris]', 'a ZonedDateTime of Java: leave out what is in brackets'],
  ['Wed, 1 May 2019 09:30:00 GMT', 'RFC 2822, or the text of a Date: give `new Date(text)`'],
  ['May 1, 2019 09:30', 'RFC 2822, or the text of a Date: give `new Date(text)`'],
  ['Wed May 01 2019 09:30:00 GMT+0200', 'RFC 2822, or the text of a Date: give `new Date(text)`'],
  ['/Date(1556703000000)/', 'JSON of .NET: give the number in it'],
  [{ toDate: () => new Date(0) }, 'an object of Moment, Day.js or the like: give its `toDate()`'],
  ['tomorrow', undefined],
  [undefined, undefined],
])('the time %j is described as %j', (value, look) => {
  expect(lookOfTime(value)).toBe(look);
});

test('an object that throws when it is inspected has no description', () => {
  const hostile = new Proxy({}, { has: () => expect.fail('asked') });
  expect(lookOfTime(hostile)).toBeUndefined();
});

test('the client for the web does not describe times, because that would make it larger', () => {
  expect(lookOfTimeInWeb()).toBeUndefined();
});
