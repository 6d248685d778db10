import { expect, test } from 'vitest';
import type { Input } from '../../../src/cli/import/input.js';
import { differenceOf, type RowOptions, settingsOf } from '../../../src/cli/import/settings.js';

const csv: Input = {
  name: 'a.csv',
  path: '/a.csv',
  format: 'csv',
  delimiter: ',',
  size: 1,
  isGzip: false,
  isFile: true,
};

const connection = { endpoint: 'http://127.0.0.1:4100', writeKey: 'the key' };

const first: RowOptions = {
  salt: 'the salt',
  timezone: 'Europe/Berlin',
  timestampUnit: 's',
  map: ['userId=who', 'timestamp=when'],
  set: ['type=track', 'event=the event'],
  nulls: ['NULL'],
};

const difference = (now: RowOptions, input = csv, before = first): string | undefined =>
  differenceOf(settingsOf([csv], connection, before), settingsOf([input], connection, now));

test.each<[string, RowOptions]>([
  ['the same', first],
  ['another order', { ...first, map: ['timestamp=when', 'userId=who'] }],
  ['the default delimiter', { ...first, delimiter: ',' }],
])('the settings of an import are equal with %s', (_, now) => {
  expect(difference(now)).toBeUndefined();
});

test.each<[RowOptions, string]>([
  [{ ...first, salt: undefined }, '--salt was given'],
  [{ ...first, salt: 'other' }, '--salt was another'],
  [{ ...first, timezone: 'UTC' }, '--timezone was Europe/Berlin, now UTC'],
  [{ ...first, timezone: undefined }, '--timezone was Europe/Berlin'],
  [{ ...first, timestampUnit: 'ms' }, '--timestamp-unit was s, now ms'],
  [
    { ...first, map: ['userId=id', 'timestamp=when'] },
    '--map was ["timestamp=when","userId=who"], now ["timestamp=when","userId=id"]',
  ],
  [{ ...first, map: undefined }, '--map was ["timestamp=when","userId=who"]'],
  [{ ...first, rejects: '/r' }, '--rejects was not given'],
  [{ ...first, set: ['type=track', 'event=other'] }, '--set was another'],
  [{ ...first, set: ['type=track'] }, '--set was another'],
  [{ ...first, nulls: undefined }, '--null was ["NULL"]'],
  [{ ...first, delimiter: ';' }, '--delimiter was [","], now [";"]'],
])('the settings of an import differ with %j: %s', (now, words) => {
  expect(difference(now)).toBe(words);
});

test('the settings of an import differ with another format', () => {
  expect(difference(first, { ...csv, format: 'ndjson' })).toContain('--format was csv, now ndjson');
});

test('the settings of an import keep the write key, the salt and --set values only as digests', () => {
  const written = JSON.stringify(settingsOf([csv], connection, first));
  expect(written).not.toContain('the key');
  expect(written).not.toContain('the salt');
  expect(written).not.toContain('the event');
});
