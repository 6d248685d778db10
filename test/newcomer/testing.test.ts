import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FreshFolder, freshFolder } from './fresh-folder.js';

const examples = join(import.meta.dirname, '../../examples/testing');
const files = Object.fromEntries(
  readdirSync(examples).map((name) => [name, readFileSync(join(examples, name), 'utf8')]),
);

/** Taken from docs/testing.md. */
const JEST_TYPES = `
import { expect } from '@jest/globals';
import { captureAnalytics, matchers, type SentMatchers } from 'eventferry/testing';
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>> extends SentMatchers<R> {}
}
expect.extend(matchers);
expect(captureAnalytics().events).toHaveSent('Order Completed');
// @ts-expect-error An expected message is no number.
expect(captureAnalytics().events).not.toHaveSent(1);
`;

const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, module: 'nodenext', target: 'ES2022' },
    ...{ lib: ['ES2022', 'ESNext.Disposable'], types: ['node'], skipLibCheck: true },
  },
  include: ['*.ts'],
};

/** Runs a program of the folder, and expects that it succeeds and ends by itself. */
async function passes(folder: FreshFolder, name: string, args: readonly string[], env = {}): Promise<string> {
  const { code, stdout, stderr } = await folder.bin(name, args, env).ended;
  expect(code, stdout + stderr).toBe(0);
  expect(stderr).not.toMatch(/did not exit|open handle|(?<!Experimental)Warning/);
  return stdout + stderr;
}

test('the test examples pass and compile in Jest, vitest and node:test', async () => {
  const folder = await freshFolder(
    {
      'package.json': '{ "name": "newcomer", "private": true, "type": "module" }',
      'tsconfig.json': JSON.stringify(TSCONFIG),
      'jest-types.ts': JEST_TYPES,
      ...files,
    },
    ['jest@30.5.2', 'vitest@4.1.12', 'tsx@4', 'typescript@6.0.3', '@types/node@20'],
  );
  expect(await passes(folder, 'jest', ['jest.test'])).toMatch(/Tests: +2 passed, 2 total/);
  expect(await passes(folder, 'vitest', ['run', 'vitest.test'])).toMatch(/1 passed/);
  expect(await passes(folder, 'tsx', ['node.test.ts'])).toMatch(/^(?:#|ℹ) pass 2$/m);
  expect(await passes(folder, 'tsc', ['-p', '.'])).toBe('');
});
