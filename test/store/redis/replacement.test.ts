import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../../src/delivery/completion-rule.js';
import type { StoredState } from '../../../src/delivery/state.js';
import { Partition } from '../../../src/store/redis/partition.js';
import { RedisClient } from '../../../src/store/redis/redis-client.js';
import { RedisCounts } from '../../../src/store/redis/redis-counts.js';
import { RedisKeys } from '../../../src/store/redis/redis-keys.js';
import { replacementOf } from '../../../src/store/redis/replacement.js';
import { textOf } from '../../../src/store/redis/stored-text.js';

const A = 'https://a.example/';
const B = 'https://b.example/';
const BYTES = 10;

const keys = new RedisKeys('orders', 'own');
/** Fails on every command. */
const link = new RedisClient({} as unknown as Redis);
const store = { keys, counts: new RedisCounts(new Partition(link, 'own'), keys) };

const untried = newEvent('m1', 'track', [A, B], 1_000, { bytes: BYTES });
const retryAt = (due: number): StoredState => ({
  phase: 'retrying',
  due,
  firstAttemptAt: 1_100,
  attempts: 1,
  history: [],
});
const withUrls = (event: StoredEvent, urls: Readonly<Record<string, StoredState>>): StoredEvent => ({
  ...event,
  urls: { ...event.urls, ...urls },
});

/** Returns the event as it was read, with its short text. */
const read = (event: StoredEvent) => ({ event, text: textOf(event, 'r1'), ref: 'r1' });

test('a first attempt that failed moves from the line of first attempts to that of retries', () => {
  const next = withUrls(untried, { [A]: retryAt(5_000) });
  const { kind, ...own } = replacementOf(read(untried), next, store);
  expect(own).toEqual({
    id: 'm1',
    ref: 'r1',
    was: `["r1","${A}","${B}"]`,
    is: `["r1",["${A}","r",4000,100,1],"${B}"]`,
    at: [5_000],
    places: [],
    by: [],
  });
  expect(kind).toMatchObject({
    isRemoval: false,
    leaves: [],
    begins: keys.deliveryTo([A]).lines,
    enters: [{ set: keys.line(A).timed, stage: 'retry', line: keys.line(A).name }],
    lanes: [],
    fields: [],
  });
});

test('a postponed retry enters its line again at the new time, and other deliveries stay unchanged', () => {
  const before = withUrls(untried, { [A]: retryAt(5_000), [B]: retryAt(6_000) });
  const { kind, at } = replacementOf(read(before), withUrls(before, { [A]: retryAt(9_000) }), store);
  const { timed, name } = keys.line(A);
  expect(kind).toMatchObject({
    leaves: [timed],
    begins: [],
    enters: [{ set: timed, stage: 'retry', line: name }],
    fields: [],
  });
  expect(at).toEqual([9_000]);
});

test('a last retry that fails leaves its line, and its event enters the dead letters', () => {
  const before = withUrls(newEvent('m1', 'track', [A], 1_000, { bytes: BYTES }), { [A]: retryAt(5_000) });
  const dead = withUrls(before, { [A]: { phase: 'dead', at: 5_100, reason: 'permanent', history: [] } });
  const { kind, at, by } = replacementOf(read(before), { ...dead, isDead: true }, store);
  expect(kind).toMatchObject({ leaves: [keys.line(A).timed], begins: [], enters: [{ set: keys.dead, stage: 'dead' }] });
  expect(at).toEqual([1_000]);
  expect(Object.fromEntries(kind.fields.map((field, index) => [field, by[index]]))).toEqual({
    [`${keys.line(A).digest}/dead track permanent`]: 1,
    '/letter bytes': BYTES,
    [keys.line(A).bytes]: -BYTES,
  });
});

test('a removed event leaves all its lines and enters none', () => {
  const before = withUrls(untried, { [B]: retryAt(5_000) });
  const { kind, was, is, by } = replacementOf(read(before), undefined, store);
  expect([was, is]).toEqual([`["r1","${A}",["${B}","r",4000,100,1]]`, undefined]);
  expect(kind).toMatchObject({
    isRemoval: true,
    leaves: [keys.line(B).timed],
    begins: keys.deliveryTo([A]).lines,
    enters: [],
    fields: [keys.line(A).bytes, keys.line(B).bytes],
  });
  expect(by).toEqual([-BYTES, -BYTES]);
});

test.each([[[A]], [[A, B]]])(
  'untried events at %j without further details are removed by the same kind of change',
  (urls) => {
    const remove = (id: string) => {
      const event = newEvent(id, 'track', urls, 1_000, { bytes: BYTES });
      return replacementOf({ event, text: keys.deliveryTo(urls).text, ref: id }, undefined, store);
    };
    const [one, other] = [remove('m1'), remove('m2')];
    expect(one.kind).toBe(other.kind);
    expect(one.kind).toMatchObject({
      isRemoval: true,
      was: keys.deliveryTo(urls).text,
      waitsIn: urls.length === 1 ? keys.line(A) : undefined,
      begins: keys.deliveryTo(urls).lines,
    });
    expect([one.id, other.id, one.by]).toEqual(['m1', 'm2', urls.map(() => -BYTES)]);
  },
);

test("a delivery of an ordered event stays in its user's lane for retries, leaves it when dead, and enters it again when replayed", () => {
  const [only] = keys.deliveryTo([A]).lines;
  const first: StoredEvent = { ...newEvent('m1', 'track', [A], 1_000, { bytes: BYTES, user: 'ann' }), isOrdered: true };
  const again = withUrls(first, { [A]: retryAt(5_000) });
  const dead = withUrls(first, { [A]: { phase: 'dead', at: 5_100, reason: 'permanent', history: [] } });
  const changesOf = (before: StoredEvent, after: StoredEvent) => {
    const { user, kind, places } = replacementOf(read(before), after, store);
    const lanes = kind.lanes.map(({ line, isEntered }, index) => [line, isEntered && places[index]]);
    return [user, lanes, kind.enters.map(({ stage }) => stage)];
  };
  expect(changesOf(first, again)).toEqual(['ann', [], ['retry']]);
  expect(changesOf(again, dead)).toEqual(['ann', [[only, false]], []]);
  expect(changesOf(dead, first)).toEqual(['ann', [[only, 1_000]], []]);
});
