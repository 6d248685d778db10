import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { encode } from '../../src/client/calls/enqueuer.js';
import { messageTypes } from '../../src/protocol/message-checks.js';
import { normalize } from '../../src/protocol/normalize.js';
import { formatPath } from '../../src/protocol/path.js';
import { copyPlain, TooMuchError } from '../../src/protocol/plain-copy.js';
import { writeJson } from '../../src/protocol/write-json.js';
import { runs } from '../support/runs.js';

/** Returns the error of a value that cannot be written. */
function refusal(value: object): Error {
  try {
    writeJson('track', value);
  } catch (error) {
    return error as Error;
  }
  throw new Error('It was written');
}

/** Returns objects nested to this many levels. */
function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}

const cycle: { properties: { items: unknown[] } } = { properties: { items: [{}, {}] } };
cycle.properties.items[1] = { back: cycle.properties };

test.each<[string, object, string]>([
  [
    'a BigInt',
    { properties: { total: 1n } },
    'track.properties.total: expected a value that JSON can hold, got a BigInt',
  ],
  ['a BigInt in a list', { a: [{ b: [0, 2n] }] }, 'track.a[0].b[1]: expected a value that JSON can hold, got a BigInt'],
  ['a BigInt from a toJSON', { a: { toJSON: () => 1n } }, 'track.a: expected a value that JSON can hold, got a BigInt'],
  ['a cycle', cycle, 'track.properties.items[1].back: expected no cycle, got an object that contains itself'],
  [
    'a getter that throws',
    {
      a: {
        get b() {
          throw new RangeError('no');
        },
      },
    },
    'track.a.b: expected a value that can be read, got one that throws RangeError: no',
  ],
  [
    'a toJSON that throws',
    {
      a: {
        toJSON() {
          throw 'text';
        },
      },
    },
    'track.a: expected a value that can be read, got one that throws text',
  ],
  [
    'a revoked proxy',
    { a: revoked() },
    "track.a: expected a value that can be read, got one that throws TypeError: Cannot perform 'get' on a proxy that has been revoked",
  ],
  [
    'a getter that throws an object without a prototype',
    {
      get a() {
        throw Object.create(null);
      },
    },
    'track.a: expected a value that can be read, got one that throws an object without a message',
  ],
  [
    'a key of many lines',
    { [`a\n\u0085\u202e${'x'.repeat(100)}`]: 1n },
    `track["a\\n\\u{85}\\u{202e}${'x'.repeat(36)}…"]: expected a value that JSON can hold, got a BigInt`,
  ],
  [
    'what is far inside',
    JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`, (_, value) => (value === 1 ? 1n : value)),
    'track.a.a.a.a….a.a.a.a: expected a value that JSON can hold, got a BigInt',
  ],
  [
    'a cycle that its toJSON makes',
    { a: { toJSON: () => cycle } },
    'track.a.properties.items[1].back: expected no cycle, got an object that contains itself',
  ],
  [
    'a thousand levels and one',
    nested(1_001),
    'track.a.a.a.a….a.a.a.a: expected at most 1000 levels of nesting, got more',
  ],
  ['a million levels', nested(1_000_000), 'track.a.a.a.a….a.a.a.a: expected at most 1000 levels of nesting, got more'],
  [
    'too much that JSON leaves out',
    undefinedFields(256_001),
    'track.x256001: expected fewer values, got more than 256000',
  ],
  [
    'an odd key',
    { 'unit price': { '0x': 1n } },
    'track["unit price"]["0x"]: expected a value that JSON can hold, got a BigInt',
  ],
])('%s is refused with its path', (_, value, message) => {
  expect(refusal(value)).toMatchObject({ name: 'ValidationError', message });
});

test('a thousand levels can be written, even if a toJSON creates them', () => {
  expect(JSON.parse(writeJson('track', nested(1_000)))).toEqual(nested(1_000));
  expect(writeJson('track', { a: { toJSON: () => nested(999) } })).toHaveLength(
    writeJson('track', nested(1_000)).length,
  );
});

const sparse = (length: number): unknown[] => {
  const items: unknown[] = [];
  items.length = length;
  return items;
};

/** Returns an object that shares others 60 times over, so it is 2^60 objects as JSON. */
function shared(): object {
  let value: object = { a: 1 };
  for (let level = 0; level < 60; level++) value = [value, value];
  return value;
}

const endless = new Proxy([], { get: (_, key) => (key === 'length' ? 1e9 : 1) });

// JSON.stringify would take half a minute for each of these, or end the process.
test.each<[string, unknown, string]>([
  ['a sparse array', sparse(1_556_703_001), 'c'],
  ['a sparse array of a length that JSON can just write', sparse(100_000_001), 'c'],
  ['a typed array', new Uint8Array(200_000_000), 'c'],
  ['a Buffer', Buffer.alloc(200_000_000), 'c'],
  ['a `new String`', new String('x'.repeat(300_000)), 'c'],
  ['a long string', 'x'.repeat(2 ** 28), 'c'],
  ['an object that is shared over and over', shared(), 'c[0][0][0]…[0][1][0][1]'],
  ['a proxy that says it is an endless list', endless, 'c'],
  ['a sparse array from a toJSON', { toJSON: () => sparse(1e9) }, 'c'],
  ['a Map with a toJSON that gives a sparse array', Object.assign(new Map(), { toJSON: () => sparse(1e9) }), 'c'],
])('%s is refused before it is written', (_, c, path) => {
  const error = refusal({ c });
  expect(error).toBeInstanceOf(TooMuchError);
  const { bytes, path: keys } = error as TooMuchError;
  expect(bytes).toBeGreaterThan(256_000);
  expect(formatPath('', keys)).toBe(`.${path}`);
});

/** Values that `JSON.stringify` unwraps, calls or omits, and values that it does not. */
const odd = fc.constantFrom<() => unknown>(
  () => Object(Symbol('s')),
  () => Object.assign(Object(Symbol('s')), { own: 1 }),
  () => Object(true),
  () => Object.assign(Object(false), { valueOf: () => 5 }),
  () => Object.assign(new Number(1), { valueOf: () => 2 }),
  () => Object.assign(new String('a'), { toString: () => 'b' }),
  () => () => 1,
  () => class {},
  () => Symbol('s'),
  () => undefined,
  () => Object.assign(() => 1, { toJSON: (key: string) => ({ key }) }),
  () => Object.assign(() => 1, { toJSON: () => () => 2 }),
  () => Object.assign(() => 1, { toJSON: 'no function' }),
  () => ({ toJSON: () => ({ toJSON: () => 'not asked again' }) }),
  () => ({ toJSON: 'no function' }),
  () => Object.assign(new Date(0), { toJSON: () => 'its own' }),
  () => new Date(Number.NaN),
  () => -0,
  () => Number.POSITIVE_INFINITY,
  () => new Map([[1, 2]]),
  () => Object.assign(new Set([1]), { own: [() => 1] }),
);
const anything = fc.anything({
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withBoxedValues: true,
  withTypedArray: true,
});
const field = fc.oneof(
  anything,
  odd.map((make) => make()),
  fc.array(odd.map((make) => make())),
  odd.map((make) => ({ inside: make() })),
);
const fields = fc.oneof(
  fc.object(),
  fc.dictionary(fc.string(), field),
  fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'a', '1'), field),
);

test('the text is the same as that of JSON.stringify, whether the value is copied or not', () => {
  fc.assert(
    fc.property(fields, field, (value, answer) => {
      const expected = JSON.stringify(value);
      expect(writeJson('track', value)).toBe(expected);
      expect(JSON.stringify(copyPlain('track', value))).toBe(expected);
      const asked = { ...value, asked: { toJSON: (key: string) => ({ key, answer }) } };
      expect(writeJson('track', asked)).toBe(JSON.stringify(asked));
    }),
    { numRuns: runs(300, 2_000) },
  );
});

test('a message is written as JSON.stringify writes the argument of the call', () => {
  const stamp = { messageId: () => 'm', timestamp: () => '2026-11-20T12:00:00.000Z' };
  fc.assert(
    fc.property(fields, field, (properties, other) => {
      const message = { userId: 'u', event: 'e', properties, other };
      const written = JSON.parse(encode(normalize(messageTypes.track, message, {}, stamp)));
      const { properties: expected, other: beside } = JSON.parse(JSON.stringify(message));
      expect([written.properties, written.other]).toEqual([expected, beside]);
    }),
    { numRuns: runs(100, 1_000) },
  );
});

class Declined extends Error {
  override readonly name = 'Declined';
  readonly card = { number: '4242' };
}

test('an error is written with only its name and message, unless it has a toJSON', () => {
  const own = Object.assign(new Error('no'), { toJSON: () => 'its own' });
  const realm = runInNewContext('new RangeError("far")');
  const hidden = { toJSON: () => new TypeError('from a toJSON') };
  expect(JSON.parse(writeJson('track', { all: [new Declined('no'), realm, own, hidden] }))).toEqual({
    all: [
      { name: 'Declined', message: 'no' },
      { name: 'RangeError', message: 'far' },
      'its own',
      { name: 'TypeError', message: 'from a toJSON' },
    ],
  });
});

test('a function whose toJSON returns more than the limit is refused before it is written', () => {
  const give = Object.assign(() => 1, { toJSON: () => sparse(1e9) });
  for (const value of [{ give }, { list: [give] }, { instance: Object.assign(new Map(), { give }) }])
    expect(refusal(value)).toBeInstanceOf(TooMuchError);
});

test('an object of another realm, an instance and a Buffer are written as JSON.stringify writes them', () => {
  class Inherited {
    own = 1;
    get computed(): never {
      throw new Error('JSON does not read this');
    }
  }
  const ancestor = Object.create(
    Object.defineProperty({}, 'inherited', {
      enumerable: true,
      get() {
        throw new Error('nor this');
      },
    }),
    { own: { value: 1, enumerable: true } },
  );
  const value = {
    realm: runInNewContext('({ a: [1, new Date(0)] })'),
    instance: new Inherited(),
    ancestor,
    bytes: Buffer.from('bytes'),
    url: new URL('https://example.com/'),
    constructor: 'a field',
  };
  expect(writeJson('track', value)).toBe(JSON.stringify(value));
});

test('a BigInt is written if the program has given BigInts a toJSON', () => {
  onTestFinished(() => void Reflect.deleteProperty(BigInt.prototype, 'toJSON'));
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    configurable: true,
    value(this: bigint) {
      return `${this}`;
    },
  });
  expect(writeJson('track', { total: 7n, asked: { toJSON: () => [8n] } })).toBe('{"total":"7","asked":["8"]}');
});

test('a toJSON is called once', () => {
  let asked = 0;
  expect(writeJson('track', { a: { toJSON: () => ++asked } })).toBe('{"a":1}');
});

test('the same object twice is not a cycle', () => {
  const shared = { a: 1 };
  expect(refusal({ one: shared, two: shared, three: 1n })).toMatchObject({ path: 'track.three' });
});

/** Returns the error of a track with these properties, which cannot be sent. */
function refusalOfTrack(properties: Record<string, unknown>): Error {
  try {
    encode({
      type: 'track',
      messageId: 'm',
      timestamp: '2026-11-20T12:00:00.000Z',
      userId: 'u',
      event: 'e',
      properties,
    });
  } catch (error) {
    return error as Error;
  }
  throw new Error('It was written');
}

test('a failure that does not happen again on the second reading is still reported', () => {
  let reads = 0;
  const failure = new TypeError('once');
  const properties = {
    get a() {
      if (reads++ === 0) throw failure;
      return 1;
    },
  };
  expect(refusalOfTrack(properties)).toMatchObject({
    message: 'track: expected a value that JSON can hold, got one that throws TypeError: once',
    cause: failure,
  });
});

test('a failure behind too many values is reported with the path up to which the search went', () => {
  let reads = 0;
  const properties = {
    many: Array.from({ length: 200_000 }, () => 1),
    get bad() {
      throw new Error(`read ${++reads}`);
    },
  };
  expect(refusalOfTrack(properties).message).toBe(
    'track.properties: expected a value that JSON can hold, got one that throws read 1',
  );
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Returns an object with this many fields, none of which JSON writes. */
function undefinedFields(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index + 1}`, undefined]));
}
