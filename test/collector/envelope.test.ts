import { expect, test } from 'vitest';
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
