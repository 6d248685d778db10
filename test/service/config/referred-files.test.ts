import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../../src/service/config/config-errors.js';
import { loadConfig } from '../../../src/service/config/load-config.js';
import { newFolder } from '../../cli/files.js';

/** Writes these files to a folder, with a configuration that has this token. */
async function written(token: string, files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = await newFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const file = join(folder, 'eventferry.json');
  await writeFile(file, JSON.stringify({ admin: { token }, sources: [{ name: 'shop', writeKeys: ['k1'] }] }));
  const load = () => loadConfig(file, { env: { HALF: '0123456789' } });
  return { folder, load };
}

/** Returns the problems of a wrong configuration. */
async function problemsOf(token: string, files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const { folder, load } = await written(token, files);
  const error = await load().catch((error: unknown) => error);
  if (!(error instanceof ConfigError)) throw error;
  return { folder, error, said: error.problems.map(({ expected, received }) => `${expected}, got ${received}`) };
}

test.each([
  ['as it is', '${file:token}', '0123456789abcdef'],
  ['with a line break at its end, which is left out', '${file:token}', '0123456789abcdef\n'],
  ['that was written on Windows', '${file:token}', '0123456789abcdef\r\n'],
  ['in the middle of a text, beside the environment', '${HALF}${file:./token}f', 'abcde\n'],
])('a secret is read from a file beside the configuration: one %s', async (_, token, text) => {
  const { load } = await written(token, { token: text });
  expect((await load()).admin.token).toBe('0123456789abcdef');
});

test('a secret is read from a file with an absolute path', async () => {
  const elsewhere = join(await newFolder(), 'token');
  await writeFile(elsewhere, 'of-another-folder');
  const { load } = await written(`\${file:${elsewhere}}`, {});
  expect((await load()).admin.token).toBe('of-another-folder');
});

test('references in the text of a secret file are not replaced', async () => {
  const { load } = await written('${file:token}', { token: '${HALF}${HALF}${HALF}' });
  expect((await load()).admin.token).toBe('${HALF}${HALF}${HALF}');
});

test.each([
  ['does not exist', 'no such file', {}],
  ['is not UTF-8', 'one that is not UTF-8 text', { token: Buffer.of(0xff) }],
  ['is too long', 'one of more than 65536 bytes', { token: 'a'.repeat(65_537) }],
])('a file that %s is reported as a mistake with its path', async (_, received, files) => {
  const { folder, said } = await problemsOf('${file:token}', files);
  expect(said).toEqual([`a text file at ${join(folder, 'token')}, got ${received}`]);
});

test('a folder or socket in place of a secret file is a mistake, and is not read', async () => {
  const { folder, load } = await written('${file:token}', {});
  const server = createServer().listen(join(folder, 'token'));
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  await expect(load()).rejects.toThrow('got something that is not a file');
  const other = await written('${file:token}', {});
  await mkdir(join(other.folder, 'token'));
  await expect(other.load()).rejects.toThrow('got a folder');
});

test('an error shows the path of a secret file, but never its text', async () => {
  const { error, said } = await problemsOf('${file:token}', { token: 'hunter2' });
  expect(said).toEqual(['16 or more visible ASCII characters, got the value of ${file:token}']);
  expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain('hunter2');
});

test.each(['${file:}', '${file:a', '${files:a}'])('%s is not a valid reference', async (token) => {
  const { said } = await problemsOf(token);
  expect(said[0]).toMatch(/^\$\{NAME\} with letters, digits and _, \$\{file:PATH\}/);
});
