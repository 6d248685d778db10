import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { freshFolder } from './fresh-folder.js';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const firstExample = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';

test('the first example of the README, pasted into a fresh folder, prints what the README shows', async () => {
  const { url, messages } = await sink();
  const folder = await freshFolder({ 'app.mjs': firstExample });
  const { code, stdout, stderr } = await folder.node(['app.mjs'], { ENDPOINT: url }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('accepted: 2');
  expect(stdout).toContain('delivered: 2');
  expect(messages.map(({ type }) => type)).toEqual(['identify', 'track']);
});
