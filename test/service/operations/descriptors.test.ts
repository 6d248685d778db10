import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundled } from '../../support/bundled.js';

const child = bundled(new URL('descriptors-child.ts', import.meta.url));

test('running out of file descriptors is logged once when it begins and once when it ends', async () => {
  const { stdout } = await promisify(execFile)('sh', ['-c', `ulimit -n 128 && exec "${process.execPath}" "${child}"`]);
  expect(JSON.parse(stdout)).toEqual([
    { level: 'error', code: 'EMFILE', text: expect.stringContaining('`ulimit -n`') },
    { level: 'info', text: 'files and connections can be opened again' },
  ]);
});
