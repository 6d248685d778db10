import { expect, test } from 'vitest';
import { checkUserId, idLines, valueLines } from '../../src/admin/user-lines.js';

async function chunksOf(ids: AsyncIterable<string> | Iterable<string>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of idLines(ids)) chunks.push(chunk);
  return chunks;
}

test('ids are encoded as lines of JSON, many in one chunk', async () => {
  expect(await chunksOf(['ann', 'say "hi"', 'é'])).toEqual(['"ann"\n"say \\"hi\\""\n"é"\n']);
  expect(await chunksOf([])).toEqual([]);
});

test('a chunk ends when it has 32,768 characters', async () => {
  // A line is three characters longer than its id: two quotes and the line end.
  const ids = Array.from({ length: 65 }, (_, index) => String(index).padStart(509, '0'));
  const chunks = await chunksOf(ids);
  expect(chunks.map(({ length }) => length)).toEqual([32_768, 512]);
  const lines = chunks.join('').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(ids);
});

test.each([
  ['a text', 'ann', 'string "ann"'],
  ['a `String`', new String('ann'), 'a String'],
  ['a map, which would be an empty list if it had no entries', new Map(), 'a Map'],
  ['an object', { ann: 1 }, 'an object'],
  ['null', null, 'null'],
])('%s is not accepted as a list', (_, given, received) => {
  expect(() => idLines(given as never)).toThrow(`Expected \`userIds\` to be a list of user ids, got ${received}`);
  expect(() => valueLines(given as never)).toThrow(
    `Expected \`values\` to be a list of users and values, got ${received}`,
  );
});

test('any iterable is accepted as a list, synchronous or asynchronous', async () => {
  async function* later() {
    yield 'ann';
  }
  for (const list of [new Set(['ann']), later()]) expect(await chunksOf(list)).toEqual(['"ann"\n']);
});

test('the first wrong id is refused with its position', async () => {
  await expect(chunksOf(['ann', ''])).rejects.toMatchObject({ option: 'userIds[1]', received: 'string ""' });
});

test.each([42, undefined, '\ud800', 'x'.repeat(1_001)])('%s is not accepted as a user id', (value) => {
  expect(() => checkUserId('userId', value)).toThrow('`userId`');
});

test('users and their values are encoded as lines of JSON', async () => {
  const chunks: string[] = [];
  const values = [
    { userId: 'ann', value: { tier: 'gold' }, note: 'left out' },
    { userId: 'bob', value: null },
    { userId: 'cid', value: new Date(0) },
  ];
  for await (const chunk of valueLines(values)) chunks.push(chunk);
  expect(chunks.join('')).toBe(
    '{"userId":"ann","value":{"tier":"gold"}}\n{"userId":"bob","value":null}\n{"userId":"cid","value":"1970-01-01T00:00:00.000Z"}\n',
  );
});

test.each([
  [{ userId: '', value: 1 }, 'values[0].userId'],
  [null, 'values[0].userId'],
  [{ userId: 'ann' }, 'values[0].value'],
  [{ userId: 'ann', value: Number.NaN }, 'values[0].value'],
  [{ userId: 'ann', value: 'x'.repeat(2_000) }, 'values[0].value'],
])('a wrong user or value is refused with its position (%#)', async (entry, option) => {
  await expect(valueLines([entry as never]).next()).rejects.toMatchObject({ option });
});
