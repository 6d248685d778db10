import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { Ready } from '../../../src/store/event-store.js';
import { describeGroup, groupsOf, type IntakeGroup, settle } from '../../../src/store/redis/intake-groups.js';
import { Leases } from '../../../src/store/redis/leases.js';
import type { NewMessage, ReceivingStore } from '../../../src/store/redis/new-message.js';
import { Partition } from '../../../src/store/redis/partition.js';
import { RedisClient } from '../../../src/store/redis/redis-client.js';
import { RedisKeys } from '../../../src/store/redis/redis-keys.js';
import { ScriptCall } from '../../../src/store/redis/script-call.js';
import type { Read } from '../../../src/store/redis/stored-text.js';
import { FakeClock } from '../../support/fake-clock.js';

const A = 'https://a.example/';
const B = 'https://b.example/';

/** Fails on every command. */
const link = new RedisClient({} as unknown as Redis);
const partition = new Partition(link, 'own');

interface TestStore extends ReceivingStore {
  readonly noted: Map<string, Read>;
}

/** Grants room for `size` deliveries. */
function roomFor(size: number) {
  let left = size;
  const reserve = (most: number): number => {
    const reserved = Math.min(most, left);
    left -= reserved;
    return reserved;
  };
  return {
    reserve,
    free: (count: number) => {
      left += count;
    },
  };
}

/** Creates a store that claims first attempts as far as `room` allows for their URL, and none at other URLs. */
function storeOf(name: string, room: Readonly<Record<string, number>> = {}): TestStore {
  const keys = new RedisKeys(name, 'own');
  const leases = new Map<string, Leases>();
  const noted = new Map<string, Read>();
  return {
    keys,
    noted,
    leases: (url) => {
      const known = leases.get(url);
      if (known !== undefined) return known;
      const opened = new Leases({ line: keys.line(url), partition, clock: new FakeClock(), leaseMs: 1_000 });
      opened.room = roomFor(room[url] ?? 0);
      leases.set(url, opened);
      return opened;
    },
    note: (read) => void noted.set(read.event.id, read),
    readUrls: async () => undefined,
    tellReady: () => undefined,
  };
}

interface MessageOptions {
  readonly at?: number;
  readonly urls?: readonly string[];
  readonly seen?: string;
  readonly isOrdered?: true;
}

function messageOf(
  id: string,
  stores: readonly ReceivingStore[],
  { at = 1_000, urls = [A], seen, isOrdered }: MessageOptions = {},
): NewMessage {
  const body = Buffer.from(`{"id":"${id}"}`);
  const event = {
    ...newEvent(id, 'track', urls, at, { bytes: body.length }),
    ...(isOrdered && { isOrdered, user: 'ann' }),
  };
  return { seen, body, deliveries: stores.map((store) => ({ store, event })) };
}

function groupOf(...all: NewMessage[]): IntakeGroup {
  const [group, ...more] = groupsOf(all);
  if (group === undefined || more.length > 0) throw new Error(`Expected one group, got ${more.length + 1}`);
  return group;
}

const describe = (group: IntakeGroup) => describeGroup(group, new ScriptCall([]));

test('consecutive messages with the same deliveries and time form one group', () => {
  const [one, other] = [storeOf('one'), storeOf('other')];
  const all = [messageOf('m1', [one, other]), messageOf('m2', [one, other])];
  expect(groupsOf(all)).toEqual([
    {
      deliveries: [one.keys.deliveryTo([A]), other.keys.deliveryTo([A])],
      at: 1_000,
      isRemembered: false,
      messages: all,
    },
  ]);
});

const [one, other] = [storeOf('one'), storeOf('other')];

test.each<[string, NewMessage]>([
  ['is of another time', messageOf('m2', [one], { at: 2_000 })],
  ['goes to another URL', messageOf('m2', [one], { urls: [B] })],
  ['goes to one URL more', messageOf('m2', [one], { urls: [A, B] })],
  ['goes to another destination', messageOf('m2', [other])],
  ['goes to one destination more', messageOf('m2', [one, other])],
  ['goes nowhere', messageOf('m2', [])],
  ['has an id that is remembered', messageOf('m2', [one], { seen: 'seen:m2' })],
  ['is ordered', messageOf('m2', [one], { isOrdered: true })],
])('a message that %s starts a group, and the next one that does not starts another', (_, message) => {
  const groups = groupsOf([messageOf('m1', [one]), message, messageOf('m3', [one])]);
  expect(groups.map((group) => group.messages.length)).toEqual([1, 1, 1]);
  expect(groups[1]?.messages).toEqual([message]);
  expect(groups.map(({ isRemembered }) => isRemembered)).toEqual([false, message.seen !== undefined, false]);
});

test('a group describes its deliveries, their lines with the room for claims, and its messages to the script', () => {
  const [wide, narrow] = [storeOf('wide', { [A]: 1, [B]: 9 }), storeOf('narrow')];
  const all = ['m1', 'm2'].map((id) => messageOf(id, [wide, narrow], { urls: [A, B], seen: `seen:${id}` }));
  const { described, reserved } = describe(groupOf(...all));
  const text = `["","${A}","${B}"]`;
  const lines = [wide, narrow].flatMap(({ keys }) => [A, B].map((url) => keys.line(url)));
  expect(described).toEqual({
    at: 1_000,
    ids: ['m1', 'm2'],
    record: 2,
    seen: [1, 2],
    events: [3, 4],
    counts: [5, 6],
    texts: [text, text],
    lines: {
      of: [1, 1, 2, 2],
      names: lines.map(({ name }) => name),
      first: [7, 8, 9, 10],
      timed: [11, 12, 13, 14],
      digests: lines.map(({ digest }) => digest),
      claims: [1, 2, 0, 0],
    },
  });
  expect(reserved.map(({ count, delivery }) => [count, delivery])).toEqual([
    [1, 0],
    [2, 0],
    [0, 1],
    [0, 1],
  ]);
  expect([A, B].map((url) => wide.leases(url).reserve(9))).toEqual([0, 7]);
});

test('a message without a destination describes only its id to the script', () => {
  const { described, reserved } = describe(groupOf(messageOf('m1', [], { seen: 'seen:m1' })));
  expect(described).toMatchObject({ ids: [''], record: 2, seen: [1], events: [], lines: { of: [] } });
  expect(reserved).toEqual([]);
});

test('a group whose ids are not remembered has no keys for them', () => {
  expect(describe(groupOf(messageOf('m1', [storeOf('one')]))).described.seen).toBeUndefined();
});

test('the first of the taken messages are claimed, and the room for the others becomes free', () => {
  const store = storeOf('one', { [A]: 3, [B]: 1 });
  const group = groupOf(...['m1', 'm2', 'm3', 'm4'].map((id) => messageOf(id, [store], { urls: [A, B] })));
  const { reserved } = describe(group);
  const [atA, atB] = [store.leases(A), store.leases(B)];
  expect([atA.reserve(9), atB.reserve(9)]).toEqual([0, 0]);
  // m1 was seen before. Of the others, two are claimed at A and one at B.
  const answer = { statuses: 'kttt', place: '1000.5', claimed: [2, 1] };
  expect(settle(group, reserved, answer, '9000')).toEqual(['known', ['m2'], ['m3'], ['m4']]);
  // One place at A is free again.
  expect([atA.reserve(9), atB.reserve(9)]).toEqual([1, 0]);
  expect(
    ['m1', 'm2', 'm3', 'm4'].map((id) => [atA.takeOver(id) !== undefined, atB.takeOver(id) !== undefined]),
  ).toEqual([
    [false, false],
    [true, true],
    [true, false],
    [false, false],
  ]);
  // Each event is noted under its own id, and as many as in the longest line.
  expect([...store.noted.values()].map(({ event, text, ref }) => [event.id, text, ref])).toEqual([
    ['m2', `["","${A}","${B}"]`, 'm2'],
    ['m3', `["","${A}","${B}"]`, 'm3'],
  ]);
});

test('each destination is told of the deliveries that were claimed for it', () => {
  const stores = [storeOf('none', { [A]: 1 }), storeOf('some', { [A]: 1 })];
  const group = groupOf(messageOf('m1', stores));
  const { reserved } = describe(group);
  expect(settle(group, reserved, { statuses: 't', place: '1000', claimed: [0, 1] }, '9000')).toEqual([['m1', 'm1']]);
  expect(stores.map(({ noted }) => noted.size)).toEqual([0, 1]);
  expect(stores.map((store) => store.leases(A).takeOver('m1') !== undefined)).toEqual([false, true]);
  expect(stores.map((store) => store.leases(A).reserve(9))).toEqual([1, 0]);
});

test('ordered messages describe their users and lanes to the script, and ready ones are reported', () => {
  const ready: string[] = [];
  const store = {
    ...storeOf('one', { [A]: 9 }),
    tellReady: (told: readonly Ready[]) => void ready.push(...told.map(({ key }) => key.id)),
  };
  const group = groupOf(...['m1', 'm2', 'm3'].map((id) => messageOf(id, [store], { isOrdered: true })));
  const { described, reserved } = describe(group);
  expect(described).toMatchObject({ users: ['ann', 'ann', 'ann'], texts: [`["","${A}",2]`] });
  expect(described.lines).toMatchObject({ claims: [0], lanes: [{ first: described.lines.first[0] }] });
  expect(settle(group, reserved, { statuses: 'ktt', isReady: [[true, false]] }, '9000')).toEqual([
    'known',
    ['m2'],
    ['m3'],
  ]);
  expect(ready).toEqual(['m2']);
});

test('a `named` message describes its key, its source, and the lines where its event may wait', () => {
  const store = storeOf('one', { [A]: 9 });
  store.keys.line(B);
  const message = { ...messageOf('m1', [store, storeOf('other')]), sourcedId: '//web/m1' };
  const { described, reserved } = describe({ ...groupOf(message), ref: '//ref' });
  const text = `["//ref","${A}"]`;
  expect(described).toMatchObject({ texts: [text, text], lines: { claims: [0, 0] } });
  expect(described.named).toMatchObject({ ref: '//ref', sourcedId: '//web/m1', known: [{ length: 2 }, { length: 1 }] });
  const answer = { statuses: 't', newIds: ['//web/m1', false] as const };
  expect(settle(groupOf(message), reserved, answer, '9000')).toEqual([['//web/m1', undefined]]);
});

test('a claimed event with one URL is noted without a record of its own', () => {
  const store = storeOf('one', { [A]: 1 });
  const group = groupOf(messageOf('m1', [store]));
  const { described, reserved } = describe(group);
  expect(described.texts).toBeUndefined();
  settle(group, reserved, { statuses: 't', place: '1000', claimed: [1] }, '9000');
  expect([...store.noted.values()].map(({ text, ref }) => [text, ref])).toEqual([[undefined, 'm1']]);
});

test('a message whose id another one uses is reported as `named`', () => {
  const store = storeOf('one');
  const group = groupOf(messageOf('m1', [store]), messageOf('m2', [store]));
  expect(settle(group, describe(group).reserved, { statuses: 'nt' }, '9000')).toEqual(['named', ['m2']]);
});
