import { expect, test } from 'vitest';
import type { Listed } from '../../../src/service/audiences/given-users.js';
import { listedUsers, MAX_LINE_BYTES } from '../../../src/service/audiences/listed-users.js';

async function usersIn(kind: 'audience' | 'trait', ...chunks: (string | Uint8Array)[]): Promise<Listed[]> {
  const read = async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  };
  const users: Listed[] = [];
  for await (const user of listedUsers(kind, read())) users.push(user);
  return users;
}

test('members are read from lines with strings and objects, wherever the bytes are split', async () => {
  const text = '\ufeff"ann"\r\n\n  \n{"userId":"bob","plan":"pro"}\n"é"';
  const members = ['ann', 'bob', 'é'].map((userId) => ({ userId, json: 'true' }));
  expect(await usersIn('audience', text)).toEqual(members);
  expect(await usersIn('audience', ...Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte)))).toEqual(members);
});

test('users and values are read from lines with objects', async () => {
  const text = '{"userId":"ann","value":{"b":1,"a":2}}\n\n{"value":null,"userId":"bob","note":"left out"}\n';
  expect(await usersIn('trait', text)).toEqual([
    { userId: 'ann', json: '{"a":2,"b":1}' },
    { userId: 'bob', json: undefined },
  ]);
});

test.each<[string, string | Uint8Array]>([
  ['line 2: not valid JSON', '"ann"\nbob\n'],
  ['line 3: not valid JSON', '\n\n{"userId":"ann"'],
  ['line 1: not valid UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ['line 1: longer than 10000 bytes', `"${'x'.repeat(10_000)}"`],
  ['line 1: expected a JSON string, or an object with a userId, got an array', '["ann"]'],
  ['line 1: expected a non-empty string, got undefined', '{"id":"ann"}'],
  ['line 1: expected a non-empty string, got number 7', '{"userId":7}'],
])('a list of members is refused with "%s"', async (message, content) => {
  await expect(usersIn('audience', content)).rejects.toMatchObject({
    code: 'EVENTFERRY_AUDIENCE_INVALID_MEMBER',
    line: Number(message.charAt(5)),
    message,
  });
});

test.each<[string, string | Uint8Array]>([
  ['line 1: expected an object with a userId and a value, got string "ann"', '"ann"'],
  ['line 1: userId: expected a non-empty string, got undefined', '{"value":1}'],
  ['line 1: userId: expected a non-empty string, got number 7', '{"userId":7,"value":1}'],
  ['line 2: value: expected a JSON value, got none', '{"userId":"ann","value":1}\n{"userId":"bob"}'],
  ['line 1: the number 1e400 would become Infinity; write it in quotes, as text', '{"userId":"ann","value":1e400}'],
  ['line 1: not valid JSON', '{"userId":"ann"'],
  ['line 1: not valid UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ['line 1: longer than 20000 bytes', `{"userId":"ann","value":"${'x'.repeat(20_000)}"}`],
])('a list of values is refused with "%s"', async (message, content) => {
  await expect(usersIn('trait', content)).rejects.toMatchObject({ code: 'EVENTFERRY_TRAIT_INVALID_VALUE', message });
});

test.each([
  ['audience', (space: string) => `{"userId":"ann"}${space}`],
  ['trait', (space: string) => `{"userId":"ann","value":1}${space}`],
] as const)('the longest line of an %s is accepted, and a line of one byte more is refused', async (kind, lineOf) => {
  const longest = lineOf(' '.repeat(MAX_LINE_BYTES[kind] - lineOf('').length));
  expect(await usersIn(kind, longest)).toHaveLength(1);
  await expect(usersIn(kind, `${longest} `)).rejects.toMatchObject({ line: 1 });
});
