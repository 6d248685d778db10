import type { Command } from 'commander';
import { expect, test } from 'vitest';
import type { CliContext } from '../../src/cli/command.js';
import { createProgram } from '../../src/cli/program.js';
import { MESSAGE_TYPES } from '../../src/protocol/field-table.js';
import { VERSION } from '../../src/version.js';
import { run } from './command.js';

const nothing = { write: () => {} };
const newProgram = (context: Partial<CliContext> = {}) =>
  createProgram({ out: nothing, err: nothing, exit: () => {}, ...context });

/** Returns the commands that have an action, with the words that call each. */
const leavesOf = (command: Command, path: readonly string[] = []): [path: string, command: Command][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((inner) => leavesOf(inner, [...path, inner.name()]));
const leaves = leavesOf(newProgram());

/** Returns the help of a command, including examples. */
async function helpOf(path: string): Promise<string> {
  let help = '';
  const out = { write: (text: string) => (help += text) };
  await newProgram({ out })
    .parseAsync([...path.split(' ').filter((word) => word !== ''), '--help'], { from: 'user' })
    .catch(() => {});
  return help;
}

test('the program has all its commands, and send has one for each message type', () => {
  const program = newProgram();
  expect(program.commands.map((command) => command.name())).toEqual([
    'demo',
    'dev',
    'send',
    'import',
    'types',
    'check',
    'listen',
    'sign',
    'verify',
    'journal',
    'deliveries',
    'backup',
    'compact',
    'serve',
    'check-config',
    'audience',
    'trait',
    'completion',
  ]);
  const send = program.commands.find((command) => command.name() === 'send');
  expect(send?.commands.map((command) => command.name())).toEqual(MESSAGE_TYPES);
});

test.each(leaves)('the command %s takes --json', (_, command) => {
  expect(command.options.map(({ long }) => long)).toContain('--json');
});

test.each(leaves)('the examples in the help of %s use only options that it has', async (path, command) => {
  const [, examples = ''] = (await helpOf(path)).split('\nExamples:\n');
  const lines = examples.trim().split('\n');
  const known = command.options.map(({ long }) => long);
  for (const line of lines) {
    expect(line.trim()).toMatch(new RegExp(`^\\$ eventferry ${path}\\b`));
    for (const [option] of line.matchAll(/(?<= )--[a-z-]+/g)) expect(known).toContain(option);
  }
});

test.each(leaves)('the command %s suggests the right option for a misspelt one', async (path) => {
  const error: unknown = await newProgram()
    .parseAsync([...path.split(' '), '--jsom'], { from: 'user' })
    .catch((thrown) => thrown);
  expect(String(error)).toMatch(/unknown option '--jsom'\s+\(Did you mean --json\?\)/);
});

test('the options --help, --version and -v exit with 0', async () => {
  const help = await run(['--help']);
  const version = await run(['--version']);
  expect(help).toMatchObject({ code: 0, err: '' });
  expect(help.out).toContain('Usage: eventferry');
  expect(version).toMatchObject({ code: 0, out: `${VERSION}\n`, err: '' });
  expect(await run(['-v'])).toEqual(version);
});

test('the help of eventferry shows its commands in groups, with examples, exit codes and the address of the docs', async () => {
  const { out } = await run(['--help']);
  expect(out).toMatch(/^Send messages:\n {2}send .*\n[^:]*\n {2}import /m);
  expect(out).toMatch(/^Examples:\n {2}\$ eventferry demo$/m);
  expect(out).toContain('130 interrupted');
  expect(out).toContain('https://github.com/eventferry/eventferry/blob/main/docs/cli.md');
});

test.each([
  ['send track', ['--event <name>', '--endpoint <url>', '--write-key <key>']],
  ['send alias', ['--user <id>', '--previous <id>', '--endpoint <url>', '--write-key <key>']],
  ['verify', ['-H, --header <line>', '--secret <secret>']],
  ['audience list', ['--token <token>']],
  ['dev', []],
])('the help of %s marks %j as required', async (path, flags) => {
  const text = (await helpOf(path)).replace(/\n {10,}/g, ' ');
  const marked = text.split('\n').filter((line) => line.includes('(required)'));
  expect(marked.map((line) => line.trim().split(/ {2,}/)[0])).toEqual(flags);
});

test('the help of the program lists the command `help` together with the others', async () => {
  expect(await helpOf('')).toMatch(/More:\n {2}completion .*\n.*\n {2}help \[command\]/);
});

test('the help of demo names no folder of this machine', async () => {
  expect(await helpOf('demo')).toMatch(/repository +a git checkout \(default: this folder\)/);
});
