import { expect, test } from 'vitest';
import type { Rejection } from '../../../src/collector/collector-options.js';
import { Rejections } from '../../../src/ledger/examples/rejections.js';
import { ProcessValues } from '../../../src/ledger/process-values.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

const rejection = (code: string, raw: string): Rejection => ({
  index: 0,
  messageId: undefined,
  code,
  message: `because of ${code}`,
  raw,
});

const REQUEST = { userAgent: 'a-client/1' };

function open() {
  const { keyValues } = memoryStorage();
  const values = new ProcessValues(keyValues);
  return { rejections: new Rejections({ keyValues, clock: new FakeClock(), values }), values };
}

test('rejections are counted by code, with the latest one as the example', async () => {
  const { rejections, values } = open();
  rejections.add('shop', [rejection('missing_event', '{"a":1}'), rejection('missing_event', '{"a":2}')], REQUEST);
  rejections.add('shop', [rejection('too_large', '{')], REQUEST);
  await values.write();
  const found = await rejections.examples.of('shop');
  expect(found.map(({ kind, count }) => [kind, count]).toSorted()).toEqual([
    ['missing_event', 2],
    ['too_large', 1],
  ]);
  const example = { reason: 'because of missing_event', raw: '{"a":2}', client: 'a-client/1' };
  expect(found.find(({ kind }) => kind === 'missing_event')?.example).toEqual(example);
  expect(await rejections.examples.of('another shop')).toEqual([]);
});

test('an example contains no write key, no incomplete character, and at most 4,096 characters', async () => {
  const { rejections, values } = open();
  const raw = `{"writeKey" : "a \\" key", "text":"${'x'.repeat(5_000)}`;
  rejections.add('shop', [rejection('invalid_json', raw), rejection('invalid_type', '"\ud800')], {
    userAgent: undefined,
  });
  await values.write();
  const examples = new Map((await rejections.examples.of('shop')).map(({ kind, example }) => [kind, example]));
  expect(examples.get('invalid_json')?.raw).toMatch(/^\{"writeKey" : "\*\*\*", "text":"x+…$/);
  expect(examples.get('invalid_json')?.raw.length).toBeLessThanOrEqual(4_097);
  expect(examples.get('invalid_type')).toMatchObject({ raw: '"\ufffd', client: '' });
});
