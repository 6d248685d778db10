import { expect, test } from 'vitest';
import { keyOfDelivery, namedIn, oldestKeptText } from '../../../../src/dashboard/page/service/delivery-keys.js';
import type { DeliveryReport } from '../../../../src/service/api/delivery-answers.js';

const delivery = (id: string, attempts = 1): DeliveryReport => ({
  ...{ destination: 'crm', id, type: 'track', source: null, acceptedAt: '', webhook: { url: 'https://a.example' } },
  ...{ phase: 'retrying', attempts, lastAttemptAt: '', result: '503', durationMs: 1, nextAttemptAt: null },
});

test.each<[Partial<DeliveryReport>, string]>([
  [{ webhook: { url: 'https://a.example/hook' } }, 'm1@My%20CRM@a.example%2Fhook'],
  [{ webhook: { id: 'eu', url: 'https://a.example/hook' } }, 'm1@My%20CRM@eu'],
  [{ source: 'a shop' }, 'm1@My%20CRM@a.example@a%20shop'],
  [{ source: 'another' }, 'm1@My%20CRM@a.example@another'],
  [{ id: 'a@b/ü', source: 'x' }, 'a%40b%2F%C3%BC@My%20CRM@a.example@x'],
])('the key of a delivery with %j is %s, and its parts can be parsed from it', (given, key) => {
  const named = { ...delivery('m1'), destination: 'My CRM', ...given };
  const { id, destination, source } = named;
  expect(keyOfDelivery(named)).toBe(key);
  expect(namedIn(key)).toEqual({ id, destination, source });
});

test('a key with fewer parts, as in an old bookmark, gives the parts that it has', () => {
  expect(namedIn('m1@CRM')).toEqual({ id: 'm1', destination: 'CRM', source: null });
});

test('events with the same id from two sources at one webhook are two rows', () => {
  const [one, other] = ['one', 'other'].map((source) => keyOfDelivery({ ...delivery('m1'), source }));
  expect(one).not.toBe(other);
});

const now = new Date(2026, 10, 20, 12).getTime();
const at = (hours: number) => new Date(2026, 10, 20, hours, 4, 31).toISOString();

test.each([
  ['one attempt or more', at(10), 'The oldest kept attempt is from 10:04:31.'],
  ['none', null, 'No attempts are kept.'],
  ['a list that is not about them', undefined, ''],
])('a list shows how far back the kept attempts go: %s', (_, oldestKept, text) => {
  expect(oldestKeptText(oldestKept === undefined ? {} : { oldestKept }, now)).toBe(text);
});
