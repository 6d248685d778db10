import { expect, test } from 'vitest';
import { checkUserId, linesOf } from '../../src/admin/user-id-lines.js';

async function chunksOf(ids: AsyncIterable<string> | Iterable<string>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of linesOf(ids)) chunks.push(chunk);
  return chunks;
}

test('ids become lines of JSON, many in one chunk', async () => {
  expect(await chunksOf(['ann', 'say "hi"', 'é'])).toEqual(['"ann"\n"say \\"hi\\""\n"é"\n']);
  expect(await chunksOf([])).toEqual([]);
});

test('a chunk ends once it has 32,768 characters', async () => {
  const ids = Array.from({ length: 200 }, (_, index) => String(index).padStart(400, '0'));
  const chunks = await chunksOf(ids);
  expect(chunks.length).toBeGreaterThan(1);
  for (const chunk of chunks.slice(0, -1)) expect(chunk.length).toBeGreaterThanOrEqual(32_768);
  expect(
    chunks
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(ids);
});

test('the first wrong id is refused with its place', async () => {
  await expect(chunksOf(['ann', ''])).rejects.toMatchObject({ option: 'userIds[1]', received: 'string ""' });
});

test.each([42, undefined, '\ud800', 'x'.repeat(1_001)])('%s is no user id', (value) => {
  expect(() => checkUserId('userId', value)).toThrow('`userId`');
});
