import { expect, test } from 'vitest';
import { listedIds } from '../../../src/service/audiences/listed-ids.js';

async function idsIn(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const read = async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  };
  const ids: string[] = [];
  for await (const id of listedIds(read())) ids.push(id);
  return ids;
}

test('ids are read from strings and objects, one a line, however the bytes are cut', async () => {
  const text = '\ufeff"ann"\r\n\n{"userId":"bob","plan":"pro"}\n"é"';
  expect(await idsIn(text)).toEqual(['ann', 'bob', 'é']);
  expect(await idsIn(...Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte)))).toEqual(['ann', 'bob', 'é']);
});

test.each<[string, string | Uint8Array]>([
  ['line 2: not valid JSON', '"ann"\nbob\n'],
  ['line 1: not valid UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ['line 1: longer than 10000 bytes', `"${'x'.repeat(10_000)}"`],
  ['line 1: expected a JSON string, or an object with a userId, got an array', '["ann"]'],
  ['line 1: expected a non-empty string, got undefined', '{"id":"ann"}'],
  ['line 1: expected a non-empty string, got number 7', '{"userId":7}'],
])('a list is refused with "%s"', async (message, content) => {
  await expect(idsIn(content)).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCE_INVALID_MEMBER', message });
});
