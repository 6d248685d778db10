import { expect, test } from 'vitest';
import { run } from '../command.js';

test('completion refuses an unknown shell', async () => {
  const { code, err } = await run(['completion', 'tcsh']);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('Allowed choices are bash, zsh, fish.') });
});

test('completion offers each command, its options and their values', async () => {
  const { code, out } = await run(['completion', 'fish', '--json']);
  const { shell, script } = JSON.parse(out);
  expect({ code, shell }).toEqual({ code: 0, shell: 'fish' });
  expect(script).toContain(`-n "__eventferry_at 'import'" -l format -x -a 'ndjson csv'`);
  expect(script).toContain(`-n "__eventferry_at 'journal drop'" -l help`);
});
