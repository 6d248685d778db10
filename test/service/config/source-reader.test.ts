import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SourceReader } from '../../../src/service/config/source-reader.js';
import { newFolder } from '../../cli/files.js';

const SOURCES = 'sources: [{ name: shop, writeKeys: [k1] }]';

async function written(text: string) {
  const folder = await newFolder();
  const file = join(folder, 'eventferry.yaml');
  await writeFile(file, text);
  return { folder, file, reader: new SourceReader(file, { env: { PLAN: 'plan.json' } }) };
}

test('an unchanged text is not parsed again, and has the same key', async () => {
  const { reader } = await written(SOURCES);
  const first = await reader.read();
  const second = await reader.read();
  expect([first.document === undefined, second.document === undefined]).toEqual([false, true]);
  expect(second.key).toBe(first.key);
  expect(second.text).toBe(SOURCES);
});

test('a changed text is parsed, and has another key', async () => {
  const { file, reader } = await written(SOURCES);
  const { key } = await reader.read();
  await writeFile(file, SOURCES.replace('shop', 'till'));
  const second = await reader.read();
  expect(second.key).not.toBe(key);
  expect(second.document?.value).toEqual({ sources: [{ name: 'till', writeKeys: ['k1'] }] });
});

test('a changed secret file gives another key, and so does a changed plan file', async () => {
  const { folder, reader } = await written(
    "admin: { token: '${file:token}' }\nsources: [{ name: shop, writeKeys: [k1], trackingPlan: { file: '${PLAN}' } }]",
  );
  const keys = new Set<string>();
  for (const [name, text] of [
    ['token', 'one'],
    ['token', 'two'],
    ['plan.json', '{}'],
    ['plan.json', '{ }'],
  ] as const) {
    await writeFile(join(folder, name), text);
    keys.add((await reader.read()).key);
  }
  expect(keys.size).toBe(4);
  expect([...(await reader.read()).files.values()]).toEqual([{ text: 'two' }, { text: '{ }' }]);
});
