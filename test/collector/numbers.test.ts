import { describe, expect, test } from 'vitest';
import { listening, post, send } from './support.js';

const identify = (fields: string): string => `{"type":"identify","userId":"u",${fields}}`;

/** Each place in a body at which a number may occur, and whether it refuses the message or the whole body. */
const places: Record<string, (number: string) => string> = {
  'a trait': (number) => `{"batch":[${identify(`"traits":{"a":[{"b":${number}}]}`)}]}`,
  'a field that the protocol does not name': (number) => `{"batch":[${identify(`"x":${number}`)}]}`,
  'the context of a message': (number) => `{"batch":[${identify(`"context":{"a":${number}}`)}]}`,
  'the integrations of a message': (number) => `{"batch":[${identify(`"integrations":{"a":{"b":${number}}}`)}]}`,
  'the context of a batch': (number) => `{"batch":[${identify('"x":1')}],"context":{"a":${number}}}`,
  'the integrations of a batch': (number) => `{"batch":[${identify('"x":1')}],"integrations":{"a":{"b":${number}}}}`,
  'the integrations in the context of a batch': (number) =>
    `{"batch":[${identify('"x":1')}],"context":{"integrations":{"a":{"b":${number}}}}}`,
  'a batch that is parsed in pieces': (number) =>
    `{"batch":[${Array(30)
      .fill(identify(`"traits":{"text":"${'x'.repeat(8_000)}"}`))
      .join()},${identify(`"x":${number}`)}]}`,
};

/** Fields of a message that may hold a number, but none beyond 2^53, which the sender may have rounded. */
const fields: Record<string, string> = {
  userId: '"type":"identify","userId":',
  anonymousId: '"type":"identify","anonymousId":',
  groupId: '"type":"group","userId":"u","groupId":',
  previousId: '"type":"alias","userId":"u","previousId":',
  messageId: '"type":"identify","userId":"u","messageId":',
  timestamp: '"type":"identify","userId":"u","timestamp":',
  originalTimestamp: '"type":"identify","userId":"u","originalTimestamp":',
  type: '"userId":"u","type":',
  traits: '"type":"identify","userId":"u","traits":',
};

test.each(Object.entries(fields))('a rounded number in %s is refused with invalid_number', async (_, start) => {
  const { url } = await listening();
  for (const number of ['9007199254740993', '4503599627370497.5', '1e400']) {
    const { body } = await post(url, `{"batch":[{${start}${number}}]}`);
    expect(body, number).toMatchObject({ rejected: [{ code: 'invalid_number' }] });
  }
});

test.each(['sentAt', 'context', 'integrations'])(
  'a rounded number in the %s of a batch refuses the batch',
  async (field) => {
    const { url } = await listening();
    for (const value of ['9007199254740993', '4503599627370497.5', '1e400', '{"a":9007199254740993}']) {
      const reply = await post(url, `{"batch":[${identify('"x":1')}],"${field}":${value}}`);
      expect(reply, value).toMatchObject({ status: 400, body: { code: 'invalid_number' } });
    }
  },
);

test('a batch is accepted if its sentAt is a number that is not a time and was not rounded', async () => {
  const { url } = await listening();
  const reply = await post(url, `{"batch":[${identify('"x":1')}],"sentAt":9007199254740992}`);
  expect(reply).toMatchObject({ status: 200 });
});

const isTaken = async (body: string): Promise<boolean> => {
  const { url } = await listening();
  const { status, body: answer } = await post(url, body);
  const { code, rejected } = answer as { code?: string; rejected?: { code: string }[] };
  if (status === 200 && rejected === undefined) return true;
  expect(code === 'all_rejected' ? rejected?.[0]?.code : (code ?? rejected?.[0]?.code)).toBe('invalid_number');
  return false;
};

describe.each(Object.entries(places))('%s', (_, bodyWith) => {
  test('a number that JavaScript would round is refused with invalid_number', async () => {
    for (const number of ['9007199254740993', '-9007199254740993', '9007199254740993.0']) {
      expect(await isTaken(bodyWith(number)), number).toBe(false);
    }
  });

  test('a number that JavaScript keeps, and a large one in quotes, are accepted', async () => {
    for (const number of ['9007199254740992', '1e20', '0.1', '9007199254740991', '"9007199254740993"']) {
      expect(await isTaken(bodyWith(number)), number).toBe(true);
    }
  });
});

test('a single call with a rounded number is refused', async () => {
  const { url, messages } = await listening();
  const reply = await send(url, '/v1/track', {
    body: '{"userId":"u","event":"e","properties":{"n":9007199254740993}}',
  });
  expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_number' } });
  expect(messages).toEqual([]);
});

test('only the messages of a batch that contain a rounded number are refused, even among similar numbers', async () => {
  const { url, messages } = await listening();
  const numbers = ['9007199254740992', '9007199254740993', '1', '1e400', '-9007199254740993', '-9007199254740992'];
  const batch = numbers.map((number) => identify(`"traits":{"n":${number}}`));
  const { body } = await post(url, `{"batch":[${batch}]}`);
  const { rejected } = body as { rejected: { index: number; code: string }[] };
  expect(rejected.map(({ index }) => index)).toEqual([1, 3, 4]);
  expect(messages.map((message) => (message['traits'] as { n: number }).n)).toEqual([
    9007199254740992, 1, -9007199254740992,
  ]);
});

test('a rounded number in a message does not make the context of its batch invalid', async () => {
  const { url, messages } = await listening();
  const batch = `${identify('"x":9007199254740993')},${identify('"x":1')}`;
  const reply = await post(url, `{"batch":[${batch}],"context":{"n":9007199254740992}}`);
  expect(reply).toMatchObject({ status: 200, body: { rejected: [{ index: 0, code: 'invalid_number' }] } });
  expect(messages).toHaveLength(1);
});

test('a message that is too large or too deep is refused for that reason, even with a large number in it', async () => {
  const { url } = await listening();
  const codeOf = async (fields: string): Promise<string | undefined> => {
    const { body } = await post(url, `{"batch":[${identify(`"n":1e20,${fields}`)}]}`);
    return (body as { rejected?: { code: string }[] }).rejected?.[0]?.code;
  };
  expect(await codeOf(`"x":"${'x'.repeat(33_000)}"`)).toBe('message_too_large');
  expect(await codeOf(`"x":${'['.repeat(1_500)}${']'.repeat(1_500)}`)).toBe('message_too_deep');
  expect(await codeOf(`"x":"${'x'.repeat(30_000)}"`)).toBeUndefined();
});
