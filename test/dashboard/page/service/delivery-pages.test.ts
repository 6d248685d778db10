import { expect, test } from 'vitest';
import {
  DeliveryPages,
  keyOfDelivery,
  namedIn,
  oldestKeptText,
} from '../../../../src/dashboard/page/service/delivery-pages.js';
import type { DeliveryPage, DeliveryReport } from '../../../../src/service/api/delivery-answers.js';

const delivery = (id: string, attempts = 1): DeliveryReport => ({
  ...{ destination: 'crm', id, type: 'track', source: null, acceptedAt: '', webhook: { url: 'https://a.example' } },
  ...{ phase: 'retrying', attempts, lastAttemptAt: '', result: '503', durationMs: 1, nextAttemptAt: null },
});

const page = (next: string | undefined, ...deliveries: (string | DeliveryReport)[]): DeliveryPage => ({
  deliveries: deliveries.map((each) => (typeof each === 'string' ? delivery(each) : each)),
  ...(next !== undefined && { next }),
});

const idsOf = (pages: DeliveryPages): string[] | undefined => pages.rows?.map(({ id }) => id);

test('a new first page replaces the previous one', () => {
  const pages = new DeliveryPages();
  expect(pages.rows).toBeUndefined();
  pages.takeFirst(page('p2', 'b', 'a'));
  pages.takeFirst(page('p2', 'c', 'b'));
  expect(idsOf(pages)).toEqual(['c', 'b']);
  expect(pages.fresh).toBe(0);
});

test('an older page is added once after the rows, without those that are already there', () => {
  const pages = new DeliveryPages();
  pages.takeFirst(page('p2', 'd', 'c'));
  pages.takeOlder('p2', page('p3', 'c', 'b'));
  pages.takeOlder('p2', page('p3', 'c', 'b'));
  pages.takeOlder('p3', page(undefined, 'a'));
  expect(idsOf(pages)).toEqual(['d', 'c', 'b', 'a']);
  expect(pages.next).toBeUndefined();
});

test('after older pages were loaded, rows keep their places and show their latest attempt, and new deliveries are counted once', () => {
  const pages = new DeliveryPages();
  pages.takeFirst(page('p2', 'c'));
  pages.takeOlder('p2', page(undefined, 'b', 'a'));
  pages.takeFirst(page('p2', 'e', delivery('b', 2)));
  pages.takeFirst(page('p2', 'f', 'e'));
  expect(idsOf(pages)).toEqual(['c', 'b', 'a']);
  expect(pages.rows?.[1]?.attempts).toBe(2);
  expect([pages.fresh, pages.hasGap]).toEqual([2, false]);
});

test('a first page without any known delivery reports that there are more new ones than were counted', () => {
  const pages = new DeliveryPages();
  pages.takeFirst(page('p2', 'b'));
  pages.takeOlder('p2', page(undefined, 'a'));
  pages.takeFirst(page('p2', 'z', 'y'));
  expect([pages.fresh, pages.hasGap]).toEqual([2, true]);
});

test('a list that is reset keeps its rows until the first page arrives', () => {
  const pages = new DeliveryPages();
  pages.takeFirst(page('p2', 'b'));
  pages.takeOlder('p2', page(undefined, 'a'));
  pages.takeFirst(page('p2', 'c', 'b'));
  pages.beginAnew();
  expect([idsOf(pages), pages.fresh]).toEqual([['b', 'a'], 0]);
  pages.takeFirst(page('p2', 'c', 'b'));
  expect([idsOf(pages), pages.next]).toEqual([['c', 'b'], 'p2']);
});

test('the rows of a page are ordered by when their last attempts began', () => {
  const at = (id: string, minute: number) => ({ ...delivery(id), lastAttemptAt: `2026-11-20T12:0${minute}:00.000Z` });
  const pages = new DeliveryPages();
  pages.takeFirst(page('p2', at('slow', 1), at('quick', 3), at('middle', 2)));
  expect(idsOf(pages)).toEqual(['quick', 'middle', 'slow']);
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
  const pages = new DeliveryPages();
  pages.takeFirst(page(undefined, { ...delivery('m1'), source: 'one' }, { ...delivery('m1'), source: 'other' }));
  expect(pages.rows?.map(({ source }) => source)).toEqual(['one', 'other']);
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
