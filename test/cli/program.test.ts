import { createServer } from 'node:http';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import type { CliContext } from '../../src/cli/command.js';
import { createProgram } from '../../src/cli/program.js';
import { listenOn } from '../../src/cli/server.js';
import { VERSION } from '../../src/version.js';
import { startCollector } from './collector.js';
import { run } from './command.js';

const nothing = { write: () => {} };
const newProgram = (context: Partial<CliContext> = {}) =>
  createProgram({ out: nothing, err: nothing, exit: () => {}, ...context });

/** The commands that do something, with the words that call each. */
const leavesOf = (command: Command, path: readonly string[] = []): [path: string, command: Command][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((inner) => leavesOf(inner, [...path, inner.name()]));
const leaves = leavesOf(newProgram());

/** The help of a command, examples included. */
async function helpOf(path: string): Promise<string> {
  let help = '';
  const out = { write: (text: string) => (help += text) };
  await newProgram({ out })
    .parseAsync([...path.split(' '), '--help'], { from: 'user' })
    .catch(() => {});
  return help;
}

describe('the program', () => {
  test('program has its commands, and send one for each type', () => {
    const program = newProgram();
    expect(program.commands.map((command) => command.name())).toEqual([
      'demo',
      'dev',
      'send',
      'import',
      'listen',
      'journal',
      'sign',
      'verify',
      'deliveries',
      'serve',
      'check-config',
      'audience',
    ]);
    const send = program.commands.find((command) => command.name() === 'send');
    const types = ['track', 'identify', 'page', 'screen', 'group', 'alias'];
    expect(send?.commands.map((command) => command.name())).toEqual(types);
  });

  test.each(leaves)('%s takes --json', (_, command) => {
    expect(command.options.map(({ long }) => long)).toContain('--json');
  });

  test.each(leaves)('%s has examples in its help, with options that it takes', async (path, command) => {
    const [, examples = ''] = (await helpOf(path)).split('\nExamples:\n');
    const lines = examples.trim().split('\n');
    const known = command.options.map(({ long }) => long);
    for (const line of lines) {
      expect(line.trim()).toMatch(new RegExp(`^\\$ eventferry ${path}\\b`));
      for (const [option] of line.matchAll(/(?<= )--[a-z-]+/g)) expect(known).toContain(option);
    }
  });

  test.each(leaves)('%s names the option that a misspelt one means', async (path) => {
    const error: unknown = await newProgram()
      .parseAsync([...path.split(' '), '--jsom'], { from: 'user' })
      .catch((thrown) => thrown);
    expect(String(error)).toMatch(/unknown option '--jsom'\s+\(Did you mean --json\?\)/);
  });

  test('--help and --version exit with 0', async () => {
    const [help, version] = await Promise.all([run(['--help']), run(['--version'])]);
    expect(help).toMatchObject({ code: 0, err: '' });
    expect(help.out).toContain('Usage: eventferry');
    expect(version).toMatchObject({ code: 0, out: `${VERSION}\n`, err: '' });
  });
});

describe('a mistake is one line on standard error and a non-zero exit', () => {
  test.each([
    [['sned'], "sned: unknown command 'sned' (Did you mean send?)\n"],
    [['serve', '--prot', '1'], "serve: unknown option '--prot' (Did you mean --port?)\n"],
    [['deliveries', 'list', '--xyz'], "deliveries: unknown option '--xyz'; see eventferry deliveries list --help\n"],
    [['sign'], "sign: missing required argument 'file'; see eventferry sign --help\n"],
    [
      ['dev', '--port', '70000'],
      "dev: option '--port <port>' argument '70000' is invalid. Expected an integer from 0 to 65535.\n",
    ],
    [
      ['send', 'track', '--user', 'u1', '--event', 'x'],
      'send: no endpoint; give --endpoint URL or set EVENTFERRY_ENDPOINT\n',
    ],
    [
      ['import', 'nowhere.ndjson', '--endpoint', 'http://127.0.0.1:1', '--write-key', 'k'],
      'import: there is no file nowhere.ndjson\n',
    ],
    [
      ['listen', '--status', '200,hallo'],
      'listen: --status holds "hallo"; expected a status from 200 to 599, hang, reset or slow\n',
    ],
  ])('%j is refused in one line', async (args, line) => {
    const { code, out, err } = await run(args);
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: line });
  });

  test('dev on a port in use suggests another', async () => {
    const server = createServer();
    const port = await listenOn(server, { port: 0, host: '127.0.0.1' });
    const { code, err } = await run(['dev', '--port', String(port)]);
    server.close();
    expect(code).toBe(1);
    expect(err).toBe(`dev: port ${port} is already in use; try --port ${port + 1}, or --port 0 for any free one\n`);
  });

  test('import --json prints its error as one line of JSON', async () => {
    const { err } = await run(['import', 'nowhere.ndjson', '--json', '--dry-run']);
    expect(JSON.parse(err)).toEqual({ error: { command: 'import', message: 'there is no file nowhere.ndjson' } });
  });
});

describe('the write key', () => {
  test('send takes the write key from the environment and never prints it', async () => {
    const collector = await startCollector();
    const env = { EVENTFERRY_ENDPOINT: collector.url, EVENTFERRY_WRITE_KEY: 'not-the-key-at-all' };
    const refused = await run(['send', 'track', '--user', 'u1', '--event', 'x'], env);
    const badEndpoint = await run(['send', 'track', '--user', 'u1', '--event', 'x', '--endpoint', 'ftp://x'], env);
    await collector.close();
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^send: rejected [\w-]+: The collector refused the message with status 401/);
    expect(refused.err + badEndpoint.err).not.toContain('not-the-key-at-all');
  });
});
