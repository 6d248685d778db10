import { expect, onTestFinished, test, vi } from 'vitest';
import type { Analytics, AnalyticsOptions } from '../../../src/index.js';
import { client } from '../../support/client.js';

const KEYS = Array.from({ length: 400_000 }, (_, index) => `k${index}`);

/** An object with 400,000 fields, which counts how many of them are read. */
function wide(fields: object = {}) {
  const counted = { reads: 0 };
  const object: Record<string, unknown> = new Proxy(fields as Record<string, unknown>, {
    ownKeys: (target) => [...Reflect.ownKeys(target), ...KEYS],
    getOwnPropertyDescriptor: (target, key) =>
      Reflect.getOwnPropertyDescriptor(target, key) ?? {
        value: 1,
        enumerable: true,
        configurable: true,
        writable: true,
      },
    get(target, key) {
      if (typeof key !== 'string' || !/^k\d/.test(key)) return Reflect.get(target, key);
      counted.reads++;
      return 1;
    },
  });
  return { object, counted };
}

const NUMBERS: readonly number[] = new Array(1_000_000).fill(1);

/** A list of a million numbers, which counts how many of them are read. */
function long() {
  const counted = { reads: 0 };
  const read = (key: PropertyKey): void => {
    if (typeof key === 'string' && /^\d/.test(key)) counted.reads++;
  };
  const list = new Proxy(NUMBERS, {
    get(target, key) {
      read(key);
      return Reflect.get(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      read(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  });
  return { list, counted };
}

/** An endlessly nested object, which counts how many levels are made. */
function deep() {
  const counted = { reads: 0 };
  const level = (): object => ({
    get a() {
      counted.reads++;
      return level();
    },
  });
  return { object: level(), counted };
}

type Call = (analytics: Analytics, value: never) => unknown;

const user = { userId: 'u1', context: { ip: '10.0.0.1' }, integrations: { All: false } };

/** Each place in which a call accepts an object of the caller. */
const places: readonly (readonly [where: string, call: Call])[] = [
  ['properties', (analytics, properties) => analytics.track({ userId: 'u1', event: 'e', properties })],
  ['traits', (analytics, traits) => analytics.identify({ userId: 'u1', traits })],
  ['context', (analytics, context) => analytics.track({ userId: 'u1', event: 'e', context })],
  ['a part of the context', (analytics, app) => analytics.track({ userId: 'u1', event: 'e', context: { app } })],
  ['integrations', (analytics, integrations) => analytics.track({ userId: 'u1', event: 'e', integrations })],
  [
    'integrations in the context',
    (analytics, integrations) => analytics.track({ userId: 'u1', event: 'e', context: { integrations } }),
  ],
  [
    'settings of an integration',
    (analytics, Webhooks) => analytics.track({ userId: 'u1', event: 'e', integrations: { Webhooks } }),
  ],
  ['an unknown field', (analytics, other) => analytics.track({ userId: 'u1', event: 'e', other } as never)],
  ['the context of a call of a child', (analytics, context) => analytics.child(user).track({ event: 'e', context })],
  [
    'the integrations of a call in a run',
    (analytics, integrations) => analytics.run(user, () => analytics.track({ event: 'e', integrations } as never)),
  ],
  ['a message that is wrong', (analytics, properties) => analytics.track({ userId: 42, properties } as never)],
  ['the place of the message', (analytics, value) => analytics.track(value)],
];

const report = { endpoint: 'http://127.0.0.1:1', onInvalid: 'report' } as const;

/** The catalogue and a `before` function read everything that they get, so neither may see what cannot be sent. */
const readAll: NonNullable<AnalyticsOptions['events']> = {
  check: (message) => void JSON.stringify(Object.values(message)),
};

/** A report may contain the caller's own value or an excerpt of it, but never a copy. */
function expectNoCopy(
  { message, input, error }: { message?: object | undefined; input?: string | undefined; error: Error },
  value: unknown,
) {
  expect(input?.length ?? 0).toBeLessThanOrEqual(200);
  expect(error.message.length).toBeLessThan(500);
  for (const field of Object.values(error)) expect(['string', 'number', 'undefined']).toContain(typeof field);
  for (const field of Object.values(message ?? {})) {
    if (typeof field !== 'object' || field === null || field === value) continue;
    for (const inside of Object.values(field)) expect(inside === value || typeof inside !== 'object').toBe(true);
  }
}

test.each(places)('400,000 fields as %s are not all read, and events and logs hold no copy', (where, call) => {
  const { analytics, lost } = client({ ...report, events: readAll });
  const { object, counted } = wide();
  call(analytics, object as never);
  expect(lost).toHaveLength(1);
  // A message of 256,000 fields is read so that the error can name its size, and once more to find the mistake.
  expect(counted.reads).toBeLessThanOrEqual(where.startsWith('the context of') ? 0 : 300_000);
  expectNoCopy(lost[0] as never, object);
});

test.each(places)('few of a million numbers as %s are read, and events and logs hold no copy', (_, call) => {
  const { analytics, lost } = client({ ...report, events: readAll });
  const { list, counted } = long();
  call(analytics, list as never);
  expect(lost).toHaveLength(1);
  expect(counted.reads).toBeLessThanOrEqual(500);
  expectNoCopy(lost[0] as never, list);
});

test.each(places)('an endlessly nested object as %s is read to the thousandth level', (_, call) => {
  const { analytics, lost } = client({ ...report, events: readAll });
  const { object, counted } = deep();
  call(analytics, object as never);
  expect(lost).toHaveLength(1);
  expect(counted.reads).toBeLessThanOrEqual(2_100);
});

test('400,000 extra fields of a message are counted only up to the limit', () => {
  const { analytics, lost } = client(report);
  const { object, counted } = wide({ userId: 'u1', event: 'e' });
  analytics.track(object as never);
  expect(lost).toMatchObject([{ error: { message: 'track: expected at most 6400 fields, got more' } }]);
  expect(counted.reads).toBe(6_400);
});

test.each(['context', 'integrations'])(
  '400,000 fields as %s of a child, a run or a client are refused without being read',
  (name) => {
    const { analytics } = client(report);
    const { object, counted } = wide();
    const given = { [name]: object };
    const refused = new RegExp(`^Expected \`${name}\` to be at most 6400 (fields|destinations), got more`);
    expect(() => analytics.child(given)).toThrow(refused);
    expect(() => analytics.run(given, () => {})).toThrow(refused);
    expect(() => client({ ...report, ...given })).toThrow(refused);
    expect(counted.reads).toBe(0);
  },
);

test.each(['context', 'properties', 'other'])(
  '400,000 fields that a `before` function adds as %s are refused',
  (name) => {
    const { object, counted } = wide();
    const { analytics, lost } = client({ ...report, before: (message) => ({ ...message, [name]: object }) as never });
    analytics.track({ userId: 'u1', event: 'e' });
    expect(lost).toMatchObject([{ error: { name: 'HookError' } }]);
    expect(counted.reads).toBeLessThanOrEqual(300_000);
  },
);

const HUGE = 'x'.repeat(2 ** 28);

test.each<[string, Call]>([
  ['userId', (analytics, userId) => analytics.track({ userId, event: 'e' })],
  ['messageId', (analytics, messageId) => analytics.track({ userId: 'u1', messageId, event: 'e' })],
  ['timestamp', (analytics, timestamp) => analytics.track({ userId: 'u1', timestamp, event: 'e' })],
  ['groupId', (analytics, groupId) => analytics.group({ userId: 'u1', groupId })],
  ['event', (analytics, event) => analytics.track({ userId: 'u1', event })],
  ['name', (analytics, name) => analytics.page({ userId: 'u1', name })],
  ['category', (analytics, category) => analytics.screen({ userId: 'u1', category })],
  ['properties', (analytics, text) => analytics.track({ userId: 'u1', event: 'e', properties: { text } })],
  ['context', (analytics, text) => analytics.track({ userId: 'u1', event: 'e', context: { text } })],
  ['an unknown field', (analytics, other) => analytics.track({ userId: 'u1', event: 'e', other } as never)],
])('a text of 256 MB as %s is neither written nor reported', (_, call) => {
  const written = vi.spyOn(JSON, 'stringify');
  onTestFinished(() => void written.mockRestore());
  const { analytics, lost } = client(report);
  call(analytics, HUGE as never);
  expect(lost).toHaveLength(1);
  for (const { value } of written.mock.results) expect(String(value).length).toBeLessThan(300_000);
  expect(lost[0]?.error.message.length).toBeLessThan(500);
  expect(lost[0]?.input?.length ?? 0).toBeLessThanOrEqual(200);
});
