import { expect, test } from 'vitest';
import type { Rejection } from '../../../src/collector/collector-options.js';
import { Rejections } from '../../../src/service/ingest/rejections.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

const DAY_MS = 24 * 60 * 60_000;

const rejection = (code: string, raw: string): Rejection => ({
  index: 0,
  messageId: undefined,
  code,
  message: `because of ${code}`,
  raw,
});

const REQUEST = { userAgent: 'a-client/1' };

function processes(count: number) {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const errors: unknown[] = [];
  const onError = (error: unknown): unknown => errors.push(error);
  const all = Array.from({ length: count }, () => new Rejections({ keyValues, clock, onError }));
  return { all, clock, keyValues, errors };
}

test('rejections are counted across processes by code, with the latest one as the example', async () => {
  const { all, clock, errors } = processes(2);
  const [one, other] = all as [Rejections, Rejections];
  one.add('shop', [rejection('missing_event', '{"a":1}'), rejection('missing_event', '{"a":2}')], REQUEST);
  await clock.pass(6_000);
  other.add('shop', [rejection('missing_event', '{"a":3}'), rejection('too_large', '{')], REQUEST);
  await other.counts.flush();
  const reports = await one.of('shop');
  expect(reports.map(({ code, count }) => [code, count]).toSorted()).toEqual([
    ['missing_event', 3],
    ['too_large', 1],
  ]);
  const example = { reason: 'because of missing_event', raw: '{"a":3}', client: 'a-client/1' };
  expect(reports.find(({ code }) => code === 'missing_event')?.example).toEqual(example);
  expect(await one.of('another shop')).toEqual([]);
  expect(errors).toEqual([]);
});

test('an example contains no write key, no incomplete character, and at most 4,096 characters', async () => {
  const { all } = processes(1);
  const [one] = all as [Rejections];
  const raw = `{"writeKey" : "a \\" key", "text":"${'x'.repeat(5_000)}`;
  one.add('shop', [rejection('invalid_json', raw), rejection('invalid_type', '"\ud800')], { userAgent: undefined });
  const examples = new Map((await one.of('shop')).map(({ code, example }) => [code, example]));
  expect(examples.get('invalid_json')?.raw).toMatch(/^\{"writeKey" : "\*\*\*", "text":"x+…$/);
  expect(examples.get('invalid_json')?.raw.length).toBeLessThanOrEqual(4_097);
  expect(examples.get('invalid_type')).toMatchObject({ raw: '"\ufffd', client: '' });
});

test('a reason is listed for a week after its last rejection, and then removed', async () => {
  const { all, clock, keyValues } = processes(1);
  const [one] = all as [Rejections];
  one.add('shop', [rejection('missing_event', '{}')], REQUEST);
  await one.counts.close();
  await clock.pass(6 * DAY_MS);
  await one.counts.sweep();
  expect(await one.of('shop')).toHaveLength(1);
  await clock.pass(2 * DAY_MS);
  expect(await one.of('shop')).toEqual([]);
  await one.counts.sweep();
  expect(await keyValues.list('rejections/', undefined, 10)).toEqual([]);
});
