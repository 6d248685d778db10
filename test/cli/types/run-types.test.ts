import { expect, test } from 'vitest';
import { runTypes } from '../../../src/cli/types/run-types.js';
import { newFile } from '../files.js';
import { readableTerminal } from '../terminal.js';

test('types --json without a file has the code in its object', async () => {
  const { printed, terminal } = readableTerminal({ isJson: true });
  const plan = await newFile('plan.json', '{"events":{"A":true}}');
  expect(await runTypes(plan, {}, terminal)).toBe(0);
  expect(JSON.parse(printed.out)).toMatchObject({ plan, events: 1, code: expect.stringContaining('export type A = ') });
});
