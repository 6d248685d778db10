import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/cli-error.js';
import { createProgram } from '../../src/cli/program.js';
import { run } from './command.js';

const nothing = { write: () => {} };
const program = createProgram({ out: nothing, err: nothing, exit: () => {} });
const page = await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8');

const optionsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ long }) => (long === null || long === undefined ? [] : [long])),
  ...command.commands.flatMap(optionsOf),
];

test('docs/cli.md names every option of the command', () => {
  const options = [...new Set(optionsOf(program))].filter((option) => option !== '--version');
  expect(options.length).toBeGreaterThan(30);
  expect(options.filter((option) => !page.includes(`\`${option}`))).toEqual([]);
});

test('docs/cli.md names no unknown option', () => {
  const ofCurl = '--data-binary';
  const known = new Set([...optionsOf(program), '--help', ofCurl]);
  const named = [...page.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option);
  expect(named.filter((option) => !known.has(option))).toEqual([]);
});

test('docs/cli.md has a chapter for each command', () => {
  const chapters = [...page.matchAll(/^## ([\w-]+)$/gm)].map(([, name]) => name);
  expect(chapters).toEqual(program.commands.map((command) => command.name()));
});

test('docs/cli.md has each exit code once in its table', () => {
  const codes = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(EXIT));
});

test('the help of eventferry and docs/cli.md name the same exit codes', async () => {
  const { out } = await run(['help']);
  const [, told = ''] = /Exit codes: ([\s\S]*?)\.\n/.exec(out) ?? [];
  expect([...told.matchAll(/\b(\d+) [a-z]/g)].map(([, code]) => Number(code))).toEqual(Object.values(EXIT));
});

test.each([
  [['--help'], EXIT.ok],
  [['verify', '-', '--secret', 's', '--header', 'x-signature: x'], EXIT.failed],
  [['nope'], EXIT.usage],
  [['check-config', 'nowhere.yaml'], EXIT.unusable],
  [['audience', 'list', '--url', 'http://127.0.0.1:1', '--token', 't'], EXIT.refused],
])('the command line %j ends with %i, as the table says', async (args, code) => {
  expect((await run(args)).code).toBe(code);
});
