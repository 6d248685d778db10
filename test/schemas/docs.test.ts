import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import * as schemas from '../../src/schemas/index.js';
import { runCode } from '../support/run-code.js';

const page = readFileSync(new URL('../../docs/messages.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```ts run\n(.*?)^```$/gms)].map(([, code = '']) => code);

test('the example of schemas in the documentation prints the issue that its comment shows', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  expect(blocks).toHaveLength(1);
  await runCode(blocks[0] ?? '', () => schemas);
  expect(log.mock.calls).toEqual([[[{ message: 'expected a non-empty string, got number 7', path: ['userId'] }]]]);
  log.mockRestore();
});
