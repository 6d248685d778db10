import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as node from '../../../src/base/platform/node.js';
import * as web from '../../../src/base/platform/web.js';

/** As in the build, `web.ts` replaces `node.ts`. */
const platforms = [
  ['node', node],
  ['web', web as unknown as typeof node],
] as const;

test('both platforms export the same names', () => {
  expect(Object.keys(web).sort()).toEqual(Object.keys(node).sort());
});

describe.each(platforms)('the platform %s', (_, platform) => {
  test.each(['', 'plain', 'Grüße, 世界 🌍', '\ud800 alone', 'x'.repeat(10_000)])(
    'the platform writes and reads %j as UTF-8',
    (text) => {
      const bytes = platform.byteLength(text);
      const target = platform.allocate(bytes + 2);
      expect(platform.write(target, text, 1)).toBe(bytes);
      expect(platform.decode(target.subarray(1, 1 + bytes))).toBe(text.replace('\ud800', '\ufffd'));
      expect(bytes).toBe(Buffer.byteLength(text));
    },
  );

  test('the platform writes text as ASCII', () => {
    const target = platform.allocate(4);
    expect(platform.writeAscii(target, 'ab', 1)).toBe(2);
    expect([...target.subarray(1, 3)]).toEqual([0x61, 0x62]);
  });

  test('the platform encodes the UTF-8 of a text in Base64', () => {
    expect(platform.base64('key:')).toBe('a2V5Og==');
    expect(platform.base64('schlüssel:')).toBe(Buffer.from('schlüssel:').toString('base64'));
  });

  test('the platform runs a timer unless it was cancelled', async () => {
    const called: string[] = [];
    platform.after(0, () => called.push('cancelled'))();
    await new Promise<void>((resolve) => {
      const hold = setInterval(() => {}, 1_000);
      platform.after(1, () => {
        clearInterval(hold);
        resolve();
      });
    });
    expect(called).toEqual([]);
  });

  test('the platform calls a callback for the next turn after everything that is due in this turn', async () => {
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      platform.nextTurn(() => {
        order.push('next turn');
        resolve();
      });
      queueMicrotask(() => order.push('this turn'));
    });
    expect(order).toEqual(['this turn', 'next turn']);
  });

  const kinds = [
    'isDate',
    'isTypedArray',
    'isNumberObject',
    'isStringObject',
    'isBoxedPrimitive',
    'isPromise',
  ] as const;
  const values: readonly (readonly [shown: string, value: unknown, kinds: readonly (typeof kinds)[number][]])[] = [
    ['a Date', new Date(), ['isDate']],
    ['a Date of another realm', runInNewContext('new Date()'), ['isDate']],
    ['a Date of a subclass', new (class extends Date {})(), ['isDate']],
    ['what says it were a Date', { [Symbol.toStringTag]: 'Date', __proto__: Date.prototype }, []],
    ['a Uint8Array', new Uint8Array(1), ['isTypedArray']],
    ['a typed array of another realm', runInNewContext('new Float64Array(1)'), ['isTypedArray']],
    ['a DataView', new DataView(new ArrayBuffer(1)), []],
    ['a new Number', Object(1), ['isNumberObject', 'isBoxedPrimitive']],
    ['a new String', Object('a'), ['isStringObject', 'isBoxedPrimitive']],
    ['a new Boolean', Object(true), ['isBoxedPrimitive']],
    ['a boxed symbol', Object(Symbol('s')), ['isBoxedPrimitive']],
    ['a boxed BigInt', Object(1n), ['isBoxedPrimitive']],
    ['a promise', Promise.resolve(), ['isPromise']],
    ...[1, 'a', true, null, undefined, 1n, {}, [], () => 1].map(
      (value) => [`${typeof value} ${String(value)}`, value, []] as const,
    ),
  ];
  test.each(values)('the platform recognises the kind of %s', (_, value, expected) => {
    expect(kinds.filter((kind) => platform[kind](value))).toEqual(expected);
  });
});

test('formatMs on the web formats a time as on Node', () => {
  fc.assert(
    fc.property(fc.double({ min: Date.parse('0000-01-01'), max: Date.parse('9999-12-31'), noNaN: true }), (ms) => {
      expect(web.formatMs(ms)).toBe(node.formatMs(ms));
    }),
  );
});
