import { expect, test } from 'vitest';
import { listedValues } from '../../../src/service/audiences/listed-values.js';
import type { Listed } from '../../../src/service/audiences/staging.js';

async function valuesIn(text: string): Promise<Listed[]> {
  const values: Listed[] = [];
  for await (const value of listedValues(chunksOf(text))) values.push(value);
  return values;
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

test('users and values are read from objects, one a line', async () => {
  const text = '{"userId":"ann","value":{"b":1,"a":2}}\n\n{"value":null,"userId":"bob","note":"left out"}\n';
  expect(await valuesIn(text)).toEqual([
    { userId: 'ann', json: '{"a":2,"b":1}' },
    { userId: 'bob', json: undefined },
  ]);
});

test.each([
  ['line 1: expected an object with a userId and a value, got string "ann"', '"ann"'],
  ['line 1: userId: expected a non-empty string, got undefined', '{"value":1}'],
  ['line 1: userId: expected a non-empty string, got number 7', '{"userId":7,"value":1}'],
  ['line 2: value: expected a JSON value, got none', '{"userId":"ann","value":1}\n{"userId":"bob"}'],
  ['line 1: the number 1e400 would become Infinity; write it in quotes, as text', '{"userId":"ann","value":1e400}'],
  ['line 1: not valid JSON', '{"userId":"ann"'],
  ['line 1: longer than 20000 bytes', `{"userId":"ann","value":"${'x'.repeat(20_000)}"}`],
])('a list is refused with "%s"', async (message, text) => {
  await expect(valuesIn(text)).rejects.toMatchObject({ code: 'EVENTFERRY_TRAIT_INVALID_VALUE', message });
});
