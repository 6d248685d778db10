import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { freshFolder } from './fresh-folder.js';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const [, code = '', output = ''] = /```ts\n(.*?)```\n\n```\n(.*?)```/s.exec(readme) ?? [];

test('the first example of the README, pasted into a fresh folder, prints the output that the README shows', async () => {
  const { url, messages } = await sink();
  const folder = await freshFolder({ 'app.mjs': code.replace('http://127.0.0.1:4100', url) });
  expect(await folder.node(['app.mjs']).ended).toMatchObject({ code: 0, stdout: output, stderr: '' });
  expect(messages.map(({ type }) => type)).toEqual(['identify', 'track']);
});
