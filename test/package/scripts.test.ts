import { describe, expect, inject, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { doorsWithoutPeers as doors } from './doors.js';
import { run } from './run.js';

const { version, bin = {} }: { version: string; bin?: Record<string, string> } = manifest;
const project = inject('project');
const node = async (...args: string[]): Promise<string> => (await run(process.execPath, args, project)).stdout;

test('each entry point has the same exports as an ES module and as a CommonJS module', async () => {
  const names = JSON.parse(await node('names.mjs', ...doors)) as Record<string, string[]>;
  expect(Object.keys(names).sort()).toEqual([...doors].sort());
  for (const door of doors) expect(names[door], door).not.toEqual([]);
  const sorted = (text: string) => JSON.parse(text, (_, value) => (Array.isArray(value) ? value.sort() : value));
  expect(sorted(await node('names.cjs', ...doors))).toEqual(sorted(JSON.stringify(names)));
});

test.each(Object.keys(bin))('the command %s exists and prints its version', async (name) => {
  const { stdout } = await run(`node_modules/.bin/${name}`, ['--version'], project);
  expect(stdout.trim()).toBe(version);
});

describe.each(['mjs', 'cjs'])('a script in .%s', (format) => {
  test('a script sends to the collector of the package', async () => {
    expect(JSON.parse(await node(`collect.${format}`))).toMatchObject([
      { type: 'identify', userId: 'u1', traits: { plan: 'pro' } },
    ]);
  });

  test('a script receives a signed delivery and refuses one signed with another secret', async () => {
    expect(JSON.parse(await node(`receive.${format}`))).toEqual({ answers: [200, 401], received: ['Order Completed'] });
  });

  test('an error in a script shows the names of the source in its stack', async () => {
    expect(await node(`misuse.${format}`)).toMatch(
      /at resolveOptions \(.*node_modules\/eventferry\/dist\/(index\.cjs|chunks\/[\w-]+\.js):\d+/,
    );
  });
});
