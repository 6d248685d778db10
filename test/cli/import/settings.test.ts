import { expect, test } from 'vitest';
import type { InputFile } from '../../../src/cli/import/input.js';
import { differencesOf, type RowOptions, settingsOf } from '../../../src/cli/import/settings.js';

const csv: InputFile = {
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
  null: ['NULL'],
};

const differences = (now: RowOptions, input = csv): readonly string[] =>
  differencesOf(settingsOf([csv], connection, first), settingsOf([input], connection, now));

test.each<[string, RowOptions]>([
  ['the same', first],
  ['another order', { ...first, map: ['timestamp=when', 'userId=who'] }],
  ['the default delimiter', { ...first, delimiter: ',' }],
])('the settings of an import are equal with %s', (_, now) => {
  expect(differences(now)).toEqual([]);
});

test.each<[RowOptions, string]>([
  [{ ...first, salt: undefined }, '--salt'],
  [{ ...first, salt: 'other' }, '--salt'],
  [{ ...first, timezone: 'UTC' }, '--timezone'],
  [{ ...first, timezone: undefined }, '--timezone'],
  [{ ...first, timestampUnit: 'ms' }, '--timestamp-unit'],
  [{ ...first, map: ['userId=id', 'timestamp=when'] }, '--map'],
  [{ ...first, map: undefined }, '--map'],
  [{ ...first, rejects: '/r' }, '--rejects'],
  [{ ...first, set: ['type=track', 'event=other'] }, '--set'],
  [{ ...first, set: ['type=track'] }, '--set'],
  [{ ...first, null: undefined }, '--null'],
  [{ ...first, delimiter: ';' }, '--delimiter'],
])('the settings of an import differ with %j in %s', (now, name) => {
  expect(differences(now)).toEqual([name]);
});

test('the settings of an import differ with another format', () => {
  expect(differences(first, { ...csv, format: 'ndjson' })).toContain('--format');
});

test('the settings of an import show neither the write key nor an option', () => {
  const written = JSON.stringify(settingsOf([csv], connection, first));
  expect(written).not.toContain('the key');
  expect(written).not.toContain('the salt');
  expect(written).not.toContain('the event');
});
