import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInPieces, parseJson } from '../../src/collector/envelope.js';
import { listening, post, track } from './support.js';

const good = JSON.stringify({ batch: [track()] });

test.each([
  ['nothing', '', 'empty_body'],
  ['white space', ' \n', 'empty_body'],
  ['an incomplete object', '{"batch":[', 'invalid_json'],
  ['text', 'hello', 'invalid_json'],
  ['a list', '[]', 'not_an_object'],
  ['null', 'null', 'not_an_object'],
  ['a number', '1', 'not_an_object'],
  ['an empty object', '{}', 'no_batch'],
  ['a batch that is an object', '{"batch":{}}', 'no_batch'],
  ['an empty batch', '{"batch":[]}', 'empty_batch'],
  ['a batch of 2,501 messages', `{"batch":[${Array(2_501).fill(1)}]}`, 'too_many_messages'],
  ['context that is text', '{"batch":[1],"context":"c"}', 'invalid_context'],
  ['a context with 1e400', '{"batch":[1],"context":{"n":1e400}}', 'invalid_number'],
  ['integrations that are text', '{"batch":[1],"integrations":"i"}', 'invalid_integrations'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'invalid_utf8'],
])('a body that is %s gets a 400 with a code and a message', async (_, body, code) => {
  const { url, messages } = await listening();
  const reply = await post(url, body);
  expect(reply).toMatchObject({ status: 400, body: { code, message: expect.any(String) } });
  expect(messages).toEqual([]);
});

test('a refused body is passed to onRejected unchanged, and never shown in the response', async () => {
  const { url, rejections } = await listening();
  const body = '{"writeKey":"secret",';
  expect((await post(url, body)).text).not.toContain('secret');
  expect(rejections).toMatchObject([{ index: undefined, code: 'invalid_json', raw: body }]);
});

test('a byte order mark before the JSON is ignored', async () => {
  const { url } = await listening();
  expect((await post(url, `\uFEFF${good}`)).status).toBe(200);
});

test('JSON of 10,000 levels is refused without harm', async () => {
  const { url, messages, rejections } = await listening();
  const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
  const reply = await post(
    url,
    `{"batch":[{"type":"identify","userId":"u","traits":${deep}},${JSON.stringify(track())}]}`,
  );
  expect(reply).toMatchObject({ status: 200, body: { rejected: [{ index: 0, code: 'message_too_deep' }] } });
  expect([messages.length, rejections.length]).toEqual([1, 1]);
});

test('a batch whose context is too deep for any message to be written with it is refused', async () => {
  const { url, messages } = await listening();
  const bodyWith = (context: string): string => `{"batch":[${JSON.stringify(track())}],"context":${context}}`;
  const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
  const refused = { status: 400, body: { code: 'invalid_context' } };
  expect(await post(url, bodyWith(nested(1_000)))).toMatchObject(refused);
  expect(await post(url, bodyWith(`{"a":"${'x'.repeat(33_000)}"}`))).toMatchObject(refused);
  expect(await post(url, bodyWith(nested(999)))).toMatchObject({ status: 200 });
  expect(messages).toHaveLength(1);
  expect(JSON.stringify(messages[0]?.context)).toBe(nested(999));
});

test('JSON of 200,000 levels is refused without harm', async () => {
  const { url } = await listening();
  const reply = await post(url, `${'['.repeat(200_000)}${']'.repeat(200_000)}`);
  expect(reply).toMatchObject({ status: 400, body: { code: 'not_an_object' } });
});

test('JSON with __proto__ and constructor does not change any prototype and is kept unchanged', async () => {
  const { url, messages } = await listening();
  const hostile =
    '{"type":"identify","userId":"u","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  await post(url, `{"batch":[${hostile}],"__proto__":{"batch":[]},"context":{"__proto__":{"polluted":1}}}`);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(JSON.stringify(messages[0])).toContain(
    '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}',
  );
  expect(Object.getPrototypeOf(messages[0])).toBe(Object.prototype);
});

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns the result, or that there is none. */
function resultOf(parse: () => unknown): unknown {
  try {
    return [parse()];
  } catch {
    return 'none';
  }
}

/** Expects the same result from parsing in pieces as from JSON.parse, also for text that is not JSON. */
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

test('parsing a batch in pieces gives the same result as JSON.parse, in the same order', () => {
  for (const pieceBytes of [0, 1, 60, 200, 5_000]) {
    expect(parseInPieces(bytesOf(JSON.stringify(batchOf(100))), pieceBytes)).toEqual(batchOf(100));
  }
});

test('parsing a body of half a megabyte gives the same result as JSON.parse', () => {
  const large = batchOf(6_000);
  expect(bytesOf(JSON.stringify(large)).length).toBeGreaterThan(400_000);
  expect(parseJson(bytesOf(JSON.stringify(large)))).toEqual(large);
  expect(parseJson(bytesOf(JSON.stringify(large, undefined, 1)))).toEqual(large);
});

test('a malformed body of half a megabyte is refused at the same place as by JSON.parse', () => {
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
  ['in a batch that a later field replaces', '{"batch":[{"a":1},{"a":2},{"a":3}],"batch":[{"a":4}]}'],
  ['in a string', '{"batch":[{"a":"[{\\"a\\":1},{\\"a\\":2},{\\"a\\":3}"},{"b":1}]}'],
  ['in the prototype of the body', '{"__proto__":{"batch":[{"a":1},{"a":2},{"a":3}]}}'],
  ['of messages with a key __proto__', '{"batch":[{"__proto__":{"a":1}},{"__proto__":{"a":2}},{"__proto__":null}]}'],
  ['between brackets that are wrong but balanced in total', '{"batch":[{"a":1},{"a":2]},[{"a":3},{"a":4}]}'],
  ['next to a missing item', '{"batch":[{"a":1},{"a":2},,{"a":3},{"a":4}]}'],
  ['in a list that is the whole body', '[{"a":1},{"a":2},{"a":3}]'],
])('parsing in pieces agrees with JSON.parse if boundaries are %s', (_, text) => {
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

test('parsing in pieces agrees with JSON.parse for any body, valid or malformed', () => {
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
