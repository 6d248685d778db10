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

test('the page about the command names every option there is', () => {
  const options = [...new Set(optionsOf(program))].filter((option) => option !== '--version');
  expect(options.length).toBeGreaterThan(30);
  expect(options.filter((option) => !page.includes(`\`${option}`))).toEqual([]);
});

test('the page about the command names no option there is not', () => {
  const ofCurl = '--data-binary';
  const known = new Set([...optionsOf(program), '--help', ofCurl]);
  const named = [...page.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option);
  expect(named.filter((option) => !known.has(option))).toEqual([]);
});

test('each command has a chapter', () => {
  const chapters = [...page.matchAll(/^## ([\w-]+)$/gm)].map(([, name]) => name);
  expect(chapters).toEqual(program.commands.map((command) => command.name()));
});
