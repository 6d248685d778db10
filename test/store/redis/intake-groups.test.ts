import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { addGroup, type Group, groupsOf, refusal, settle } from '../../../src/store/redis/intake-groups.js';
import { Leases } from '../../../src/store/redis/leases.js';
import { Messages } from '../../../src/store/redis/messages.js';
import type { NewMessage, ReceivingStore } from '../../../src/store/redis/new-message.js';
import { RedisClient, type ScriptArgument } from '../../../src/store/redis/redis-client.js';
import { RedisCounts } from '../../../src/store/redis/redis-counts.js';
import { RedisKeys } from '../../../src/store/redis/redis-keys.js';
import { encodeRecord, type Read } from '../../../src/store/redis/stored-text.js';
import { FakeClock } from '../../support/fake-clock.js';

const A = 'https://a.example/';
const B = 'https://b.example/';

/** Fails whatever asks Redis. */
const link = new RedisClient({} as unknown as Redis);
const messages = new Messages('{own}:');

interface TestStore extends ReceivingStore {
  readonly noted: Read[];
}

/** A store that claims first attempts as far as `room` says for their URL, and none elsewhere. */
function storeOf(name: string, room: Readonly<Record<string, number>> = {}): TestStore {
  const keys = new RedisKeys(name);
  const leases = new Map<string, Leases>();
  const noted: Read[] = [];
  return {
    keys,
    counts: new RedisCounts(link, keys, messages),
    noted,
    leases: (url) => {
      const known = leases.get(url);
      if (known !== undefined) return known;
      const opened = new Leases({ line: keys.line(url), link, messages, clock: new FakeClock(), leaseMs: 1_000 });
      opened.room = () => (room[url] ?? 0) - opened.reserved;
      leases.set(url, opened);
      return opened;
    },
    note: (read) => void noted.push(read),
    unnamedUrls: () => [],
    nameUrls: () => undefined,
    tellReady: () => undefined,
  };
}

interface MessageOptions {
  readonly at?: number;
  readonly urls?: readonly string[];
  readonly seen?: string;
  readonly isLoose?: boolean;
}

function messageOf(
  id: string,
  stores: readonly ReceivingStore[],
  { at = 1_000, urls = [A], seen, isLoose = false }: MessageOptions = {},
): NewMessage {
  const body = Buffer.from(`{"id":"${id}"}`);
  const event = newEvent(id, 'track', urls, at, { bytes: body.length });
  return { seen, body, deliveries: stores.map((store) => ({ store, event, isLoose })) };
}

function groupOf(...all: NewMessage[]): Group {
  const [group, ...more] = groupsOf(all);
  if (group === undefined || more.length > 0) throw new Error(`Expected one group, got ${more.length + 1}`);
  return group;
}

const add = (group: Group) => {
  const keys: string[] = [];
  const args: ScriptArgument[] = [];
  return { reserved: addGroup(keys, args, group), keys, args };
};

const recordOf = ({ body, deliveries: [first] }: NewMessage) => {
  if (first === undefined) throw new Error('Expected a delivery');
  return encodeRecord(first.event, body);
};

test('messages in a row that go the same ways at the same time are one group', () => {
  const [one, other] = [storeOf('one'), storeOf('other')];
  const all = [messageOf('m1', [one, other]), messageOf('m2', [one, other])];
  expect(groupsOf(all)).toEqual([
    {
      ways: [one.keys.wayTo([A]), other.keys.wayTo([A])],
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
])('a message that %s begins a group, and so does the next that does not', (_, message) => {
  const groups = groupsOf([messageOf('m1', [one]), message, messageOf('m3', [one])]);
  expect(groups.map((group) => group.messages.length)).toEqual([1, 1, 1]);
  expect(groups[1]?.messages).toEqual([message]);
  expect(groups.map(({ isRemembered }) => isRemembered)).toEqual([false, message.seen !== undefined, false]);
});

test('a group tells the script its ways, its lines with the room for claims, then its messages', () => {
  const [wide, narrow] = [storeOf('wide', { [A]: 1, [B]: 9 }), storeOf('narrow')];
  const all = ['m1', 'm2'].map((id) => messageOf(id, [wide, narrow], { urls: [A, B], seen: `seen:${id}` }));
  const { keys, args, reserved } = add(groupOf(...all));
  const lines = ({ keys: own }: TestStore) =>
    [A, B].map((url) => own.line(url)).flatMap(({ first, timed }) => [first, timed]);
  const { keys: first } = wide;
  const { keys: second } = narrow;
  const lineOf = (own: RedisKeys, url: string, count: number) => [own.line(url).name, own.line(url).bytes, count];
  expect(keys).toEqual([
    ...[first.events, first.counts, ...lines(wide)],
    ...[second.events, second.counts, ...lines(narrow)],
    ...['seen:m1', 'seen:m2'],
  ]);
  const text = `["","${A}","${B}"]`;
  const records = all.map(recordOf);
  expect(args).toEqual([
    2,
    ...[text, 2, ...lineOf(first, A, 1), ...lineOf(first, B, 2)],
    ...[text, 2, ...lineOf(second, A, 0), ...lineOf(second, B, 0)],
    ...[2, 1_000, 1],
    ...[records[0], 'm1'],
    ...[records[1], 'm2'],
  ]);
  expect(reserved.map(({ count, way }) => [count, way])).toEqual([
    [1, 0],
    [2, 0],
    [0, 1],
    [0, 1],
  ]);
  expect([A, B].map((url) => wide.leases(url).reserved)).toEqual([1, 2]);
});

test('a message that goes nowhere tells the script that its id is seen, and no record', () => {
  const { keys, args, reserved } = add(groupOf(messageOf('m1', [], { seen: 'seen:m1' })));
  expect([keys, args, reserved]).toEqual([['seen:m1'], [0, 1, 0, 1, '', ''], []]);
});

test('a group whose ids are not remembered names no keys for them', () => {
  const store = storeOf('one');
  const { keys, args } = add(groupOf(messageOf('m1', [store])));
  expect(keys).toEqual([store.keys.events, store.keys.counts, store.keys.line(A).first, store.keys.line(A).timed]);
  expect(args.slice(-5, -2)).toEqual([1, 1_000, 0]);
});

test('the first of the taken messages are claimed, and the room for the others is let go', () => {
  const store = storeOf('one', { [A]: 3, [B]: 1 });
  const group = groupOf(...['m1', 'm2', 'm3', 'm4'].map((id) => messageOf(id, [store], { urls: [A, B] })));
  const { reserved } = add(group);
  const [atA, atB] = [store.leases(A), store.leases(B)];
  expect([atA.reserved, atB.reserved]).toEqual([3, 1]);
  // m1 was seen before. At A two of the others are claimed, at B one.
  const answers = ['kttt', '1000.5', 2, 1, 'of the next group'];
  expect(settle(group, reserved, answers, '9000')).toEqual(['known', [true], [true], [true]]);
  expect(answers).toEqual(['of the next group']);
  expect([atA.reserved, atB.reserved]).toEqual([2, 1]);
  expect(['m1', 'm2', 'm3', 'm4'].map((id) => [atA.holds(id), atB.holds(id)])).toEqual([
    [false, false],
    [true, true],
    [true, false],
    [false, false],
  ]);
  // Each by its own id, and those of the longest line.
  expect(store.noted.map(({ event, text, ref }) => [event.id, text, ref])).toEqual([
    ['m2', `["","${A}","${B}"]`, 'm2'],
    ['m3', `["","${A}","${B}"]`, 'm3'],
  ]);
});

test('each destination is told of what was claimed for it', () => {
  const stores = [storeOf('none', { [A]: 1 }), storeOf('some', { [A]: 1 })];
  const group = groupOf(messageOf('m1', stores));
  const { reserved } = add(group);
  expect(settle(group, reserved, ['t', '1000', 0, 1], '9000')).toEqual([[true, true]]);
  expect(stores.map(({ noted }) => noted.length)).toEqual([0, 1]);
  expect(stores.map((store) => store.leases(A).takeOver('m1'))).toEqual([false, true]);
  expect(stores.map((store) => store.leases(A).reserved)).toEqual([0, 0]);
});

test('a message that meets an event of its id is refused, unless it may be left out', () => {
  const store = storeOf('one', { [A]: 2 });
  const loose = ['m2', 'm3'].map((id) => messageOf(id, [store], { isLoose: true }));
  const group = groupOf(messageOf('m1', [store]), ...loose);
  const { reserved } = add(group);
  expect(settle(group, reserved, ['xxk', '', 0], '9000')).toEqual(['meets', [false], 'known']);
  expect(store.leases(A).reserved).toBe(0);
  expect(store.noted).toEqual([]);
});

test('a refusal says why a message was not taken in', () => {
  expect(['k', 'x'].map(refusal)).toEqual(['known', 'meets']);
});

test('an event of one URL that is claimed is known as implied', () => {
  const store = storeOf('one', { [A]: 1 });
  const group = groupOf(messageOf('m1', [store]));
  const { args, reserved } = add(group);
  expect(args.slice(0, 2)).toEqual([1, '']);
  settle(group, reserved, ['t', '1000', 1], '9000');
  expect(store.noted.map(({ text, ref }) => [text, ref])).toEqual([[undefined, 'm1']]);
});

test('a message that another one keeps from being known by its id is told apart from one that meets its event', () => {
  const store = storeOf('one');
  const group = groupOf(messageOf('m1', [store]), messageOf('m2', [store]));
  expect(settle(group, add(group).reserved, ['nx', '', 0], '9000')).toEqual(['named', 'meets']);
});
