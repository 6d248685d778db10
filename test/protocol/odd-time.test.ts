import { describe, expect, test } from 'vitest';
import { readTimestamp } from '../../src/cli/import/read-timestamp.js';
import { zoneOf } from '../../src/cli/import/zone.js';
import { meantBy } from '../../src/cli/journal/found.js';
import { validateBatch } from '../../src/collector/validate-batch.js';
import { FORMATS } from '../../src/plan/formats.js';
import * as web from '../../src/protocol/platform/web.js';
import { isTime, parseTime, toIso } from '../../src/protocol/timestamp.js';
import { moment } from '../../src/service/api/queries.js';

/** Every function that reads a time, as a function from the text to the time in ISO 8601; undefined if it refuses the text. */
const readers: Record<string, (text: string) => string | undefined> = {
  'a call': toIso,
  'a call on the web': (text) => isoOf(web.parseIso(text, true)),
  'the collector': collected,
  'the lenient reading': (text) => isoOf(parseTime(text)),
  'a row of an import': (text) => toIso(readTimestamp(text, { zone: zoneOf('Asia/Tokyo'), unit: undefined })),
  'a query of the API': (text) => moment.read(text),
};

const isoOf = (ms: number): string | undefined => (Number.isNaN(ms) ? undefined : new Date(ms).toISOString());

function collected(timestamp: string): string | undefined {
  const { messages } = validateBatch([{ type: 'identify', userId: 'u', timestamp }], {
    context: undefined,
    integrations: undefined,
    sent: { ms: Number.NaN, at: undefined },
    receivedMs: 0,
    receivedAt: '1970-01-01T00:00:00.000Z',
    newId: () => 'id',
  });
  expect(messages[0]?.originalTimestamp).toBe(messages[0]?.timestamp);
  return messages[0]?.timestamp;
}

const MIDNIGHT = '2017-01-01T00:00:00.000Z';

describe.each(Object.entries(readers))('%s', (_, read) => {
  test.each([
    ['2016-12-31T23:59:60Z', MIDNIGHT],
    ['2016-12-31T23:59:60.000Z', MIDNIGHT],
    ['2016-12-31T23:59:60.250Z', '2017-01-01T00:00:00.250Z'],
    ['2017-01-01T08:59:60+09:00', MIDNIGHT],
    ['2016-12-31T12:29:60.5-11:30', '2017-01-01T00:00:00.500Z'],
    ['1969-12-31T23:59:60Z', '1970-01-01T00:00:00.000Z'],
    ['2016-12-31T24:00:00Z', MIDNIGHT],
    ['2016-12-31T24:00:00.000Z', MIDNIGHT],
    ['2016-12-31T24:00:00,000Z', MIDNIGHT],
    ['2016-12-31T24:00Z', MIDNIGHT],
    ['2017-01-01T24:00:00+24:00', undefined],
    ['2016-12-31T24:00:00-01:00', '2017-01-01T01:00:00.000Z'],
    ['2019-05-01 09:30:00 -0700', '2019-05-01T16:30:00.000Z'],
    ['2019-05-01 09:30:00.0000000 +07:00', '2019-05-01T02:30:00.000Z'],
    ['2019-05-01 09:30:00.000000000 +07:00', '2019-05-01T02:30:00.000Z'],
    ['2019-05-01 09:30:00 +00', '2019-05-01T09:30:00.000Z'],
    ['2019-05-01 09:30:00 Z', '2019-05-01T09:30:00.000Z'],
    ['2019-05-01 09:30:00 UTC', '2019-05-01T09:30:00.000Z'],
    ['2019-05-01 09:30:00.123 GMT', '2019-05-01T09:30:00.123Z'],
    ['2016-12-31T23:59:61Z', undefined],
    ['2016-12-31T23:58:60Z', undefined],
    ['2016-12-31T22:59:60Z', undefined],
    ['2016-12-31T23:59:60+01:00', undefined],
    ['1969-12-31T23:58:60Z', undefined],
    ['2016-12-31T24:00:01Z', undefined],
    ['2016-12-31T24:00:00.001Z', undefined],
    ['2016-12-31T24:01Z', undefined],
    ['2016-12-31T25:00:00Z', undefined],
    ['9999-12-31T24:00:00Z', undefined],
    ['2019-05-01 09:30:00  -0700', undefined],
    ['2019-05-01 09:30:00 EST', undefined],
    ['2019-05-01 09:30:00 UTCx', undefined],
    ['2019-05-01 09:30:00 +', undefined],
  ])('%s is read as %s', (text, iso) => {
    // Only `isWritable` refuses years beyond 9999, and the platform functions do not call it.
    if (read(text)?.startsWith('+')) expect(iso).toBeUndefined();
    else expect(read(text)).toBe(iso);
  });
});

test.each([
  ['2017-01-01 08:59:60', MIDNIGHT],
  ['2017-01-01 08:59:60.5', '2017-01-01T00:00:00.500Z'],
  ['2016-12-31 23:59:60', undefined],
  ['2016-12-31 24:00:00', '2016-12-31T15:00:00.000Z'],
])('the local time %s in Tokyo is read as %s', (text, iso) => {
  expect(toIso(readTimestamp(text, { zone: zoneOf('Asia/Tokyo'), unit: undefined }))).toBe(iso);
});

test('a receiver, a filter of the journal and a tracking plan accept a leap second', () => {
  expect(isTime('2016-12-31T23:59:60Z')).toBe(true);
  const isAfter = meantBy({ from: '2016-12-31T23:59:60Z' });
  const messageAt = (timestamp: string) => ({ message: { type: 'page', messageId: 'm', timestamp } });
  expect([isAfter(messageAt(MIDNIGHT)), isAfter(messageAt('2016-12-31T23:59:59.999Z'))]).toEqual([true, false]);
  expect(FORMATS.get('date-time')?.test('2016-12-31T23:59:60Z')).toBe(true);
});
