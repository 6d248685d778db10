import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSource } from '../../../src/service/config/read-source.js';
import { newFolder } from '../../cli/files.js';

const SOURCES = 'sources: [{ name: shop, writeKeys: [k1] }]';

async function written(text: string) {
  const folder = await newFolder();
  const file = join(folder, 'eventferry.yaml');
  await writeFile(file, text);
  return { folder, file, read: () => readSource(file, { env: { PLAN: 'plan.json' } }) };
}

test('an unchanged text has the same key, and is not parsed again', async () => {
  const { file, read } = await written(SOURCES);
  const first = await read();
  expect((await read()).key).toBe(first.key);
  // Only a text that is parsed shows that it names no plan.
  const known = { ...first.known, planPaths: ['/no/plan.json'] };
  expect((await readSource(file, { env: {} }, undefined, known)).known.planPaths).toEqual(known.planPaths);
  await writeFile(file, `${SOURCES}\n`);
  expect((await readSource(file, { env: {} }, undefined, known)).known.planPaths).toEqual([]);
});

test('a changed text gives the configuration another key', async () => {
  const { file, read } = await written(SOURCES);
  const { key } = await read();
  await writeFile(file, SOURCES.replace('shop', 'till'));
  const second = await read();
  expect(second.key).not.toBe(key);
  expect(second.document().value).toEqual({ sources: [{ name: 'till', writeKeys: ['k1'] }] });
});

test('a changed secret file or plan file gives the configuration another key', async () => {
  const { folder, read } = await written(
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
    keys.add((await read()).key);
  }
  expect(keys.size).toBe(4);
  expect([...(await read()).files.values()]).toEqual([{ text: 'two' }, { text: '{ }' }]);
});
