import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.js';

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
