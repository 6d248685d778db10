import { expect, test } from 'vitest';
import { explainUnserialisable } from '../../src/messages/unserialisable.js';

const explain = (value: unknown) => {
  try {
    JSON.stringify(value);
  } catch (error) {
    return explainUnserialisable('track', value, error);
  }
  throw new Error('JSON took it');
};

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

const cycle: { properties: { items: unknown[] } } = { properties: { items: [{}, {}] } };
cycle.properties.items[1] = { back: cycle.properties };

test.each<[string, unknown, string]>([
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
    'track.a.b: expected a value that can be read, got one that throws RangeError',
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
    'track.a: expected a value that can be read, got one that throws string "text"',
  ],
  ['a revoked proxy', { a: revoked() }, 'track.a: expected a value that can be read, got one that throws TypeError'],
  [
    'an odd key',
    { 'unit price': { '0x': 1n } },
    'track["unit price"]["0x"]: expected a value that JSON can hold, got a BigInt',
  ],
])('%s is found where it is', (_, value, message) => {
  expect(explain(value).message).toBe(message);
});

test('nesting too deep to be written is found near its top', () => {
  // Not every version of Node has a stack here that can overflow.
  const error = explainUnserialisable('track', nested(100_000), new RangeError('Maximum call stack size exceeded'));
  expect(error.message).toBe('track.a.a.a.a["…"]: expected less nesting, got more than 1000 levels');
});

test('the same object twice is no cycle', () => {
  const shared = { a: 1 };
  expect(explain({ one: shared, two: shared, three: 1n }).path).toBe('track.three');
});

test('what failed once and not again is still told', () => {
  const failure = new TypeError('once');
  expect(explainUnserialisable('track', { fine: true }, failure)).toMatchObject({
    message: 'track: expected a message that JSON can hold, got TypeError',
    cause: failure,
  });
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
