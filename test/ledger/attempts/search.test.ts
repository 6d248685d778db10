import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sourcedId } from '../../../src/delivery/event-names.js';
import { type AttemptFilter, attempts, kindAsked, latest } from '../../../src/ledger/attempts/search.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { FakeClock } from '../../support/fake-clock.js';
import { counted, exchangedOf, HOOK, openAttempts, range } from './support.js';

/** The time at which the clock of a test begins. */
const NOW = new FakeClock().now();

interface Searched {
  readonly filter?: AttemptFilter;
  readonly kind?: 'failures' | 'successes';
  readonly limit?: number;
  readonly after?: string | undefined;
}

/** Returns the first deliveries of a search, and the cursor of the next page. */
async function page(keyValues: KeyValueStore, { filter = {}, kind, limit = 1_000, after }: Searched = {}) {
  const ids: string[] = [];
  let next: string | undefined;
  for await (const { attempt, cursor } of latest(keyValues, ['crm', 'ads'], { filter, kind, after })) {
    if (ids.length === limit) return { ids, next };
    ids.push(attempt.id);
    next = cursor;
  }
  return { ids, next: undefined };
}

/** Counts the chunks that are read from the store. */
function counting(keyValues: KeyValueStore) {
  const reads = { chunks: 0 };
  const get = keyValues.get.bind(keyValues);
  keyValues.get = (keys) => {
    reads.chunks += keys.filter((key) => key.startsWith('attempts/')).length;
    return get(keys);
  };
  return reads;
}

/** Opens a store with `count` deliveries, in chunks of 50. */
async function openWith(count: number) {
  const opened = openAttempts();
  for (const id of range(1, count)) opened.add(id);
  await opened.recent.write();
  return opened;
}

test('pages follow each other without gaps or repetitions, newest first', async () => {
  const { keyValues } = await openWith(233);
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const found = await page(keyValues, { limit: 7, after });
    ids.push(...found.ids);
    after = found.next;
    if (after === undefined) break;
  }
  expect(ids).toEqual(range(1, 233).toReversed());
});

test('reading the last of many pages takes no more chunks than reading the first', async () => {
  const { keyValues } = await openWith(5_000);
  const reads = counting(keyValues);
  let after: string | undefined;
  for (let read = 0; read < 95; read++) after = (await page(keyValues, { limit: 50, after })).next;
  reads.chunks = 0;
  expect((await page(keyValues, { limit: 50, after })).ids).toEqual(range(201, 250).toReversed());
  expect(reads.chunks).toBeLessThanOrEqual(3);
});

/** Writes each attempt to its own chunk. */
async function written(...made: readonly Parameters<ReturnType<typeof openAttempts>['add']>[]) {
  const opened = openAttempts();
  for (const each of made) {
    opened.add(...each);
    await opened.recent.write();
    await opened.clock.pass(1_000);
  }
  return opened.keyValues;
}

test.each([
  ['of a user', { user: 'u7' }, ['m7']],
  ['of an anonymous user', { user: 'a3' }, ['m3']],
  ['of an event', { event: 'Order 7' }, ['m7']],
  ['of a user at one of its events', { user: 'u7', event: 'Order 7' }, ['m7']],
  ['of a user at the event of another', { user: 'u7', event: 'Order 6' }, []],
  ['of a user who never came', { user: 'nobody' }, []],
])('a search %s reads only chunks that have such attempts', async (_, filter, ids) => {
  const named = (number: number) => ({ userId: `u${number}`, anonymousId: `a${number}`, event: `Order ${number}` });
  const messages = Array.from(
    { length: 20 },
    (_, number): Parameters<ReturnType<typeof openAttempts>['add']> => [`m${number}`, { message: named(number) }],
  );
  const keyValues = await written(...messages);
  const reads = counting(keyValues);
  expect(await page(keyValues, { filter })).toMatchObject({ ids });
  expect(reads.chunks).toBe(ids.length);
});

test('a search for a deleted user reads none of the chunks in which attempts of other users remain', async () => {
  const { recent, keyValues, add } = openAttempts();
  for (const [id, userId] of ['ann', 'bob'].entries()) add(`m${id}`, { message: { userId } });
  await recent.write();
  await recent.erase(['ann'], { deletion: 1, signal: new AbortController().signal, counted, onErased: () => {} });
  const reads = counting(keyValues);
  expect((await page(keyValues, { filter: { user: 'ann' } })).ids).toEqual([]);
  expect(reads.chunks).toBe(0);
  expect((await page(keyValues, { filter: { user: 'bob' } })).ids).toEqual(['m1']);
});

test.each([
  ['a second attempt', { number: 2 }],
  ['an attempt that ended while the event was settled', { isSettled: true }],
])('a delivery that an earlier page showed by %s is not repeated', async (_, last) => {
  const keyValues = await written(['m0'], ['m1', { isRetried: true }], ['m2'], ['m1', last]);
  const first = await page(keyValues, { limit: 2 });
  expect(first.ids).toEqual(['m1', 'm2']);
  const reads = counting(keyValues);
  expect((await page(keyValues, { after: first.next })).ids).toEqual(['m0']);
  expect(reads.chunks).toBe(3);
});

test('a later attempt with the same id at another destination does not hide an earlier one', async () => {
  const keyValues = await written(['m1', { isRetried: true }, 'ads'], ['m2'], ['m1', { number: 2 }, 'crm']);
  const first = await page(keyValues, { limit: 2 });
  expect((await page(keyValues, { after: first.next })).ids).toEqual(['m1']);
});

test('a page continues at its place after its chunk was removed and newer ones were added', async () => {
  const { recent, keyValues, clock, add } = openAttempts();
  for (const minute of [1, 2, 3, 4]) {
    add(`m${minute}`, { message: { userId: `u${minute}` } });
    await recent.write();
    await clock.pass(60_000);
  }
  const first = await page(keyValues, { limit: 2 });
  expect(first.ids).toEqual(['m4', 'm3']);
  add('m5');
  await recent.write();
  await recent.erase(['u3'], { deletion: 1, signal: new AbortController().signal, counted, onErased: () => {} });
  expect((await page(keyValues)).ids).toEqual(['m5', 'm4', 'm2', 'm1']);
  expect((await page(keyValues, { after: first.next })).ids).toEqual(['m2', 'm1']);
});

test('a page continues at its place after a deletion removed attempts from its chunk', async () => {
  const { recent, keyValues, add } = openAttempts();
  for (const id of range(1, 10)) add(id, { message: { userId: Number(id.slice(1)) > 7 ? 'ann' : 'bob' } });
  await recent.write();
  const first = await page(keyValues, { limit: 4 });
  expect(first.ids).toEqual(['m10', 'm9', 'm8', 'm7']);
  await recent.erase(['ann'], { deletion: 1, signal: new AbortController().signal, counted, onErased: () => {} });
  expect((await page(keyValues, { limit: 3, after: first.next })).ids).toEqual(['m6', 'm5', 'm4']);
});

test.each(['', 'x', '/', '9999999999999-000-x/crm/000'])('an invalid cursor, %j, does no harm', async (after) => {
  const { keyValues } = await openWith(3);
  expect((await page(keyValues, { after })).ids.length).toBeLessThanOrEqual(3);
});

test('a search for an id or a user returns only attempts with it', async () => {
  const { recent, keyValues, add } = openAttempts();
  add('m1', { message: { userId: 'ann "the first"' } });
  add('m2', { message: { anonymousId: 'ann "the first"' } });
  add('m3', { message: { properties: { userId: 'ann "the first"' } } });
  await recent.write();
  expect((await page(keyValues, { filter: { user: 'ann "the first"' } })).ids).toEqual(['m2', 'm1']);
  expect((await page(keyValues, { filter: { id: 'm3' } })).ids).toEqual(['m3']);
});

test.each<[AttemptFilter, string[]]>([
  [{ status: '200' }, ['m1']],
  [{ status: '5xx' }, ['m2']],
  [{ status: 'server-error' }, ['m2']],
  [{ phase: 'retrying' }, ['m2']],
  [{ event: 'Bought' }, ['m2']],
  [{ event: 'track' }, ['m2', 'm1']],
  [{ endpoint: 'crm.example' }, ['m2', 'm1']],
  [{ endpoint: 'https://elsewhere.example' }, []],
])('the filter %j finds %j', async (filter, expected) => {
  const { recent, keyValues, add } = openAttempts();
  add('m1');
  add('m2', { isRetried: true, message: { event: 'Bought' } });
  await recent.write();
  expect((await page(keyValues, { filter })).ids).toEqual(expected);
});

test.each<[AttemptFilter, boolean]>([
  [{ from: NOW, to: NOW + 1 }, true],
  [{ to: NOW }, false],
  [{ from: NOW + 1 }, false],
  [{ by: 'acceptance', from: NOW - 1_000, to: NOW - 999 }, true],
  [{ by: 'acceptance', to: NOW - 1_000 }, false],
  [{ by: 'acceptance', from: NOW }, false],
])('an attempt that was accepted a second before it began is found by %j: %s', async (filter, isFound) => {
  const { recent, keyValues, add } = openAttempts();
  add('m1', { at: NOW, acceptedAt: NOW - 1_000 });
  await recent.write();
  expect((await page(keyValues, { filter })).ids).toEqual(isFound ? ['m1'] : []);
});

test('a search reads only chunks of the requested kind, at most four at a time', async () => {
  const { recent, keyValues, add } = openAttempts();
  for (const id of range(1, 400)) add(id);
  add('f1', { isRetried: true });
  await recent.write();
  const get = keyValues.get.bind(keyValues);
  const reads: number[] = [];
  keyValues.get = (keys) => {
    if (keys[0]?.startsWith('attempts/') === true) reads.push(keys.length);
    return get(keys);
  };
  expect([(await page(keyValues, { kind: 'failures' })).ids, reads.splice(0)]).toEqual([['f1'], [1]]);
  expect([(await page(keyValues, { kind: 'successes' })).ids.length, reads]).toEqual([400, [1, 2, 4, 1]]);
});

test.each<[string, Searched]>([
  ['of one kind', { kind: 'failures' }],
  ['up to a time', { filter: { to: NOW + 2_000 } }],
  ['of one kind for one event up to a time', { kind: 'failures', filter: { id: 'm1', to: NOW + 2_000 } }],
])(
  'a search %s does not find the earlier attempt at an event that was sent again after it had ended',
  async (_, search) => {
    const rejected = { isRetried: true } as const;
    const keyValues = await written(['m1', rejected], ['m2', rejected], ['m1', {}], ['m2', {}, 'ads']);
    expect((await page(keyValues, search)).ids).toEqual(search.filter?.id === undefined ? ['m2'] : []);
  },
);

test('an event that was sent again after it had ended is on one page only', async () => {
  const keyValues = await written(['m1', { isRetried: true }], ['m2'], ['m3'], ['m1', {}]);
  const { ids, next } = await page(keyValues, { limit: 2 });
  expect([ids, (await page(keyValues, { after: next })).ids]).toEqual([['m1', 'm3'], ['m2']]);
});

test('an attempt is found by the id of its message even if the id of its event begins with a source', async () => {
  const { recent, keyValues, add } = openAttempts();
  add(sourcedId('m1', 'web'), { message: { messageId: 'm1' } });
  await recent.write();
  expect((await page(keyValues, { filter: { id: 'm1' } })).ids).toEqual([sourcedId('m1', 'web')]);
});

test('a webhook is found by its whole URL, but not by the secret in it', async () => {
  const { recent, keyValues } = openAttempts();
  const endpoint = `${HOOK}?token=hunter2`;
  recent.unwritten.record({ ...exchangedOf('m1', { at: NOW }), name: { endpoint } });
  await recent.write();
  expect((await page(keyValues, { filter: { endpoint } })).ids).toEqual(['m1']);
  expect((await page(keyValues, { filter: { endpoint: 'hunter2' } })).ids).toEqual([]);
});

test('a search finds nothing at destinations that were not requested, even by id', async () => {
  const { recent, keyValues, add } = openAttempts();
  add('m1');
  for (const id of ['m1', 'm2']) add(id, {}, 'lake');
  await recent.write();
  expect((await page(keyValues)).ids).toEqual(['m1']);
  expect((await page(keyValues, { filter: { id: 'm1' } })).ids).toEqual(['m1']);
  expect((await page(keyValues, { filter: { id: 'm2' } })).ids).toEqual([]);
});

test('a search with a start time reads few chunks from before that time', async () => {
  const keyValues = await written(...range(1, 20).map((id): [string] => [id]));
  const { clock } = openAttempts();
  const reads = counting(keyValues);
  expect((await page(keyValues, { filter: { from: clock.now() + 19_000 } })).ids).toEqual(['m20']);
  expect(reads.chunks).toBeLessThanOrEqual(3);
});

test('a search with an end time reads few later chunks, although a later attempt still hides an earlier one', async () => {
  const { recent, keyValues, clock, add } = openAttempts();
  const began = clock.now();
  add('again', { isRetried: true });
  add('early');
  await recent.write();
  for (const id of range(1, 20)) {
    await clock.pass(1_000);
    add(id);
    await recent.write();
  }
  add('again', { number: 2, acceptedAt: began });
  await recent.write();
  const reads = counting(keyValues);
  const upTo = (by: AttemptFilter['by'], to: number) => page(keyValues, { filter: { by, to } });
  expect((await upTo('attempt', began)).ids).toEqual([]);
  expect((await upTo('acceptance', began)).ids).toEqual([]);
  expect(reads.chunks).toBe(0);
  expect((await upTo('attempt', began + 1)).ids).toEqual(['early']);
  expect((await upTo('acceptance', began + 1)).ids).toEqual(['again', 'early']);
  expect(reads.chunks).toBeLessThanOrEqual(5);
});

test('every attempt of a delivery is found, not only the last', async () => {
  const { recent, keyValues, add } = openAttempts();
  add('m1', { isRetried: true });
  add('m1', { number: 2 });
  await recent.write();
  const numbers: number[] = [];
  for await (const { attempt } of attempts(keyValues, ['crm'], { id: 'm1' })) numbers.push(attempt.number);
  expect(numbers).toEqual([2, 1]);
});

test('attempts for an id that looks as if it had a source before it are found newest first', async () => {
  const { recent, keyValues, add, clock } = openAttempts();
  const id = '//web/m1';
  for (const each of [id, sourcedId(id), id]) {
    add(each);
    await recent.write();
    await clock.pass(1_000);
  }
  const found: string[] = [];
  for await (const { attempt } of attempts(keyValues, ['crm'], { id })) found.push(attempt.id);
  expect(found).toEqual([id, sourcedId(id), id]);
});

test('a search by id reads only the chunks with that event, and none for an unknown id', async () => {
  const { recent, keyValues, add } = openAttempts();
  const destinations = range(1, 60);
  for (const [at, name] of destinations.entries())
    for (const id of range(1, 60)) add(`${name}-${at === 30 ? id : `other-${id}`}`, {}, name);
  add('m31-m7', {}, 'm2');
  await recent.write();
  const reads = counting(keyValues);
  let lists = 0;
  const list = keyValues.list.bind(keyValues);
  keyValues.list = (...args) => {
    lists++;
    return list(...args);
  };
  const find = async (id: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const { destination, attempt } of attempts(keyValues, destinations, { id }))
      if (attempt.id === id) found.push(destination);
    return found.toSorted();
  };
  expect(await find('m31-m7')).toEqual(['m2', 'm31']);
  expect(reads.chunks).toBe(2);
  expect(lists).toBe(1);
  expect(await find('nobody')).toEqual([]);
  expect(reads.chunks).toBe(2);
  expect(lists).toBe(2);
});

test('an attempt exactly at the end of a time range is not found, even if others of its chunk are', async () => {
  const { add, recent, keyValues } = openAttempts();
  add('before', { at: NOW - 1 });
  add('at the end', { at: NOW });
  await recent.write();
  expect((await page(keyValues, { filter: { to: NOW } })).ids).toEqual(['before']);
  expect((await page(keyValues, { filter: { from: NOW } })).ids).toEqual(['at the end']);
});

test('an attempt that was accepted before the end of a time range is found beside a later one in its chunk', async () => {
  const { add, recent, keyValues } = openAttempts();
  add('later', { at: NOW, acceptedAt: NOW });
  add('earlier', { at: NOW, acceptedAt: NOW - 1_000 });
  await recent.write();
  expect((await page(keyValues, { filter: { by: 'acceptance', to: NOW } })).ids).toEqual(['earlier']);
});

test.each<[AttemptFilter, 'failures' | undefined]>([
  [{}, undefined],
  [{ phase: 'delivered' }, undefined],
  [{ status: '2xx' }, undefined],
  [{ status: '204' }, undefined],
  [{ status: 'SUCCESS' }, undefined],
  [{ phase: 'dead' }, 'failures'],
  [{ status: '503' }, 'failures'],
  [{ status: '2' }, 'failures'],
  [{ phase: 'retrying', status: '200' }, 'failures'],
])('the filter %j can match attempts of the kind %j, where undefined stands for both', (filter, kind) => {
  expect(kindAsked(filter)).toBe(kind);
});

test('a search gives other work a turn after each read', async () => {
  const { keyValues } = await openWith(400);
  const search = attempts(keyValues, ['crm']);
  let turns = 0;
  let isOver = false;
  const counted = (async () => {
    for (; !isOver; turns++) await setImmediate();
  })();
  while (!(await search.next()).done);
  isOver = true;
  await counted;
  expect(turns).toBeGreaterThanOrEqual(3);
});
