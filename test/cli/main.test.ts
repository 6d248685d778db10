import { expect, test } from 'vitest';
import { run, runInto, runProcess, start } from './command.js';
import { newFile } from './files.js';

test.each([
  [['sned'], 2, "eventferry: unknown command 'sned' (Did you mean send?) (EVENTFERRY_CLI_USAGE)\n"],
  [['nope'], 2, "eventferry: unknown command 'nope'; see eventferry --help (EVENTFERRY_CLI_USAGE)\n"],
  [['help', 'sned'], 2, "eventferry: unknown command 'sned' (Did you mean send?) (EVENTFERRY_CLI_USAGE)\n"],
  [['help', 'send', 'trak'], 2, "send: unknown command 'trak' (Did you mean track?) (EVENTFERRY_CLI_USAGE)\n"],
  [['send', 'help', 'trak'], 2, "send: unknown command 'trak' (Did you mean track?) (EVENTFERRY_CLI_USAGE)\n"],
  [['send', 'trak', '--help'], 2, "send: unknown command 'trak' (Did you mean track?) (EVENTFERRY_CLI_USAGE)\n"],
  [['serve', '--prot', '1'], 2, "serve: unknown option '--prot' (Did you mean --port?) (EVENTFERRY_CLI_USAGE)\n"],
  [
    ['deliveries', 'list', '--xyz'],
    2,
    "deliveries: unknown option '--xyz'; see eventferry deliveries list --help (EVENTFERRY_CLI_USAGE)\n",
  ],
  [['sign'], 2, "sign: missing required argument 'file'; see eventferry sign --help (EVENTFERRY_CLI_USAGE)\n"],
  [
    ['dev', '--port', '70000'],
    2,
    "dev: option '--port <port>' argument '70000' is invalid. Expected an integer from 0 to 65535. (EVENTFERRY_CLI_USAGE)\n",
  ],
  [
    ['send', 'track', '--user', 'u1', '--event', 'x'],
    2,
    'send: no endpoint; give --endpoint URL or set EVENTFERRY_ENDPOINT (EVENTFERRY_CLI_USAGE)\n',
  ],
  [
    ['import', 'nowhere.ndjson', '--endpoint', 'http://127.0.0.1:1', '--write-key', 'k'],
    3,
    'import: there is no file: nowhere.ndjson (ENOENT)\n',
  ],
  [
    ['listen', '--status', '200,hallo'],
    2,
    'listen: --status holds "hallo"; expected a status from 200 to 599, hang, reset or slow (EVENTFERRY_CLI_USAGE)\n',
  ],
  [
    ['--secret', 'hunter2', 'sign', 'f'],
    2,
    "eventferry: unknown option '--secret'; see eventferry --help (EVENTFERRY_CLI_USAGE)\n",
  ],
  [
    ['sign', 'f', '--secrt=hunter2'],
    2,
    "sign: unknown option '--secrt'; see eventferry sign --help (EVENTFERRY_CLI_USAGE)\n",
  ],
  [['sign', 'f', '-shunter2'], 2, "sign: unknown option '-s'; see eventferry sign --help (EVENTFERRY_CLI_USAGE)\n"],
  [
    ['sign', 'f', 'hunter2', '--secret', 's'],
    2,
    "sign: too many arguments for 'sign'. Expected 1 argument but got 2.; see eventferry sign --help (EVENTFERRY_CLI_USAGE)\n",
  ],
])('the command line %j is refused in one line', async (args, exitCode, line) => {
  const { code, out, err } = await run(args);
  expect({ code, out, err }).toEqual({ code: exitCode, out: '', err: line });
});

test.each([
  [['sned'], "eventferry: unknown command 'sned' (Did you mean send?) (EVENTFERRY_CLI_USAGE)\n"],
  [
    ['sned', '--json'],
    '{"error":{"command":"eventferry","code":"EVENTFERRY_CLI_USAGE","message":"unknown command \'sned\' (Did you mean send?)"}}\n',
  ],
])('a process with the command line %j exits with 2 and one line on standard error', async (args, err) => {
  expect(await runProcess(args)).toEqual({ code: 2, signal: null, out: '', err });
});

test('import --json prints its error as one line of JSON', async () => {
  const { err } = await run(['import', 'nowhere.ndjson', '--json', '--dry-run']);
  const message = 'there is no file: nowhere.ndjson';
  expect(JSON.parse(err)).toEqual({ error: { command: 'import', code: 'ENOENT', message } });
});

test('import --json of a JSON array prints its result to standard output and its error to standard error', async () => {
  const file = await newFile('array.json', '[{}]');
  const { code, out, err } = await run(['import', file, '--dry-run', '--json']);
  expect({ code, ...JSON.parse(out) }).toEqual({
    code: 3,
    rows: 0,
    valid: 0,
    rejected: 0,
    seconds: expect.any(Number),
    canResume: false,
    firstRejects: [],
  });
  expect(JSON.parse(err)).toMatchObject({
    error: {
      command: 'import',
      code: expect.any(String),
      message: expect.stringContaining('expected one JSON object per line'),
      canResume: false,
    },
  });
});

test.each([
  [['sned'], { command: 'eventferry', message: "unknown command 'sned' (Did you mean send?)" }],
  [
    ['verify', '-', '--secret', 's', '--header', 'x-signature: x'],
    { command: 'verify', signature: 'invalid', bytes: 0 },
  ],
  [['types', 'nowhere.json'], { command: 'types', code: 'EVENTFERRY_PLAN_UNREADABLE' }],
  [['journal', 'show', '.', 'm1'], { command: 'journal' }],
])('the command line %j --json prints only one object on standard error', async (args, error) => {
  const { out, err } = await run([...args, '--json']);
  expect(out).toBe('');
  expect(JSON.parse(err)).toMatchObject({ error });
});

test.each([
  [['help', 'send', 'track'], 'eventferry send track'],
  [['send', 'help', 'track'], 'eventferry send track'],
  [['send', 'track', '--user', 'send', '--help'], 'eventferry send track'],
  [['help', 'send'], 'eventferry send'],
  [['send', 'help'], 'eventferry send'],
  [['help', 'serve'], 'eventferry serve'],
  [['help'], 'eventferry'],
])('the command line %j shows the help of %s', async (args, path) => {
  const { code, out, err } = await run(args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(new RegExp(`^Usage: ${path} (\\[|<)`));
});

test('a group without a command prints its help and fails', async () => {
  const { code, out, err } = await runProcess(['journal']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('Usage: eventferry journal');
});

test.runIf(process.platform === 'linux')('a result that cannot be written is an error', async () => {
  const file = await newFile('body.json', '{}');
  const { code, err } = await runInto('/dev/full', ['sign', file, '--secret', 's']);
  expect({ code, err }).toEqual({
    code: 3,
    err: expect.stringMatching(/^eventferry: cannot write to standard output: ENOSPC.*\n$/),
  });
});

test('a command whose reader closes standard output early exits with 141, as after SIGPIPE', async () => {
  const plan = await newFile('plan.json', '{"events":{}}');
  const { child, ended } = await start(['check', plan, await newFile('rows.ndjson', '{}\n'.repeat(2_000))]);
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ code: 141, err: '' });
});
