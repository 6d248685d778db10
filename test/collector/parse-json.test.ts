import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInPieces, parseJson } from '../../src/collector/parse-json.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The result, or that there is none. */
function resultOf(parse: () => unknown): unknown {
  try {
    return [parse()];
  } catch {
    return 'none';
  }
}

/** Holds parsing in pieces to JSON.parse, for a text that is no JSON too. */
function expectTheSame(text: string, pieceBytes: number): void {
  const expected = resultOf(() => JSON.parse(text));
  const inPieces = parseInPieces(bytesOf(text), pieceBytes);
  expect(resultOf(() => inPieces ?? JSON.parse(text))).toEqual(expected);
  if (expected === 'none') expect(inPieces).toBeUndefined();
}

const batchOf = (count: number) => ({
  batch: Array.from({ length: count }, (_, n) => ({ type: 'track', messageId: `m${n}`, properties: { text: 'ä🎉' } })),
  sentAt: '2026-11-20T12:00:00.000Z',
});

test('a batch is parsed in pieces as JSON.parse reads it, in the same order', () => {
  for (const pieceBytes of [0, 1, 60, 200, 5_000]) {
    expect(parseInPieces(bytesOf(JSON.stringify(batchOf(100))), pieceBytes)).toEqual(batchOf(100));
  }
});

test('a body of half a megabyte is parsed as JSON.parse reads it', () => {
  const large = batchOf(6_000);
  expect(bytesOf(JSON.stringify(large)).length).toBeGreaterThan(400_000);
  expect(parseJson(bytesOf(JSON.stringify(large)))).toEqual(large);
  expect(parseJson(bytesOf(JSON.stringify(large, undefined, 1)))).toEqual(large);
});

test('a body of half a megabyte that is broken is refused where JSON.parse refuses it', () => {
  const text = JSON.stringify(batchOf(6_000)).replace('"m3000"', '"m3000');
  const messageOf = (parse: () => unknown): string => {
    try {
      return `no error: ${parse()}`;
    } catch (error) {
      return String(error);
    }
  };
  expect(messageOf(() => parseJson(bytesOf(text)))).toBe(messageOf(() => JSON.parse(text)));
});

test.each([
  ['in a list within a message', '{"batch":[{"a":1,"list":[{"a":1},{"a":2},{"a":3}]},{"a":4}]}'],
  ['in a list beside the batch', '{"other":[{"a":1},{"a":2},{"a":3}],"batch":[{"a":4}]}'],
  ['in a batch that a second one replaces', '{"batch":[{"a":1},{"a":2},{"a":3}],"batch":[{"a":4}]}'],
  ['in a text', '{"batch":[{"a":"[{\\"a\\":1},{\\"a\\":2},{\\"a\\":3}"},{"b":1}]}'],
  ['in the prototype of the body', '{"__proto__":{"batch":[{"a":1},{"a":2},{"a":3}]}}'],
  ['of messages with a key __proto__', '{"batch":[{"__proto__":{"a":1}},{"__proto__":{"a":2}},{"__proto__":null}]}'],
  ['where brackets are wrong and would be right together', '{"batch":[{"a":1},{"a":2]},[{"a":3},{"a":4}]}'],
  ['where an item is missing', '{"batch":[{"a":1},{"a":2},,{"a":3},{"a":4}]}'],
  ['in a list that is the whole body', '[{"a":1},{"a":2},{"a":3}]'],
])('boundaries %s make nothing else than JSON.parse does', (_, text) => {
  expectTheSame(text, 0);
});

const key = fc.constantFrom('type', 'batch', '__proto__', 'a');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, 1, '', '},{"type":', '[{"type":', 'ä'),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(key, tie('any'), { maxKeys: 3 }),
  ),
})).any;
const message = fc.tuple(value, value).map(([type, a]) => ({ type, a }));
const body = fc.record({
  batch: fc.array(fc.oneof({ weight: 5, arbitrary: message }, value)),
  context: value,
  a: value,
});
const edit = fc.record({
  at: fc.nat(400),
  length: fc.nat(3),
  text: fc.constantFrom('', '"', ']', '[', '},{"type":', ','),
});

test('whatever a body holds and however it is broken, it is parsed in pieces as by JSON.parse', () => {
  fc.assert(
    fc.property(body, fc.array(edit, { maxLength: 2 }), fc.nat(60), (given, edits, pieceBytes) => {
      let text = JSON.stringify(given);
      for (const { at, length, text: inserted } of edits) {
        text = text.slice(0, at) + inserted + text.slice(at + length);
      }
      expectTheSame(text, pieceBytes);
    }),
    { numRuns: 2_000 },
  );
});
