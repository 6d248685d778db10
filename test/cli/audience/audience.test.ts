import { expect, test } from 'vitest';
import { createProgram } from '../../../src/cli/program.js';
import { numbered } from '../../service/audiences/numbered.js';
import { listen, serveAudiences } from '../../service/audiences/serve.js';
import { run, start } from '../command.js';
import { newFile } from '../files.js';
import { readableTerminal } from '../terminal.js';

const token = 'the-admin-token';

test('audience list and audience show print audiences', async () => {
  const { url, audiences } = await serveAudiences({}, token);
  await audiences.replace('High Value Users', numbered(1_200));
  await audiences.replace('Apes\u001b[31m', ['ann']);
  const { printed, terminal } = readableTerminal();
  const { out, err } = terminal;
  for (const args of [['list'], ['show', 'High Value Users']]) {
    const program = createProgram({ out, err, exit: (code) => expect(code).toBe(0) });
    await program.parseAsync(['audience', ...args, '--url', url, '--token', token], { from: 'user' });
  }
  const line = 'High Value Users  high_value_users  1,200 members  synced 2026-11-20T12:00:00.000Z\n';
  expect(printed).toEqual({
    out: `Apes\\u{1b}[31m  apes_31m  1 member  synced 2026-11-20T12:00:00.000Z\n${line}${line}`,
    err: '2 audiences\n',
  });
});

test('audience sync takes the token from the environment', async () => {
  const { url } = await serveAudiences({}, token);
  const file = await newFile('Users.txt', 'ann\nbob\n');
  const env = { EVENTFERRY_ADMIN_TOKEN: token };
  expect(await run(['audience', 'sync', file, '--url', url], env)).toEqual({
    code: 0,
    signal: null,
    out: 'Users  2 joined, 0 left, 2 members, trait users\n',
    err: '',
  });
  const tabbed = await newFile('Users.csv', 'id\twho\n1\tann\n');
  const options = ['--column', 'who', '--delimiter', '\\t', '--url', url];
  expect((await run(['audience', 'sync', tabbed, ...options], env)).out).toContain('0 joined, 1 left, 1 member,');
});

test('audience sync stopped by Ctrl-C after the upload says that the service will finish it', async () => {
  let isHere = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    isHere = resolve;
  });
  const url = await listen((request) => request.resume().on('end', isHere));
  const file = await newFile('Users.txt', 'ann\n');
  const { child, ended } = await start(['audience', 'sync', file, '--url', url, '--token', token]);
  await arrived;
  child.kill('SIGINT');
  const err = 'audience: interrupted; the service finishes the sync (EVENTFERRY_CLI_INTERRUPTED)\n';
  expect(await ended).toMatchObject({ code: 130, out: '', err });
});

test.each([
  [['list'], {}, 2, 'audience: no token; give --token TOKEN or set EVENTFERRY_ADMIN_TOKEN (EVENTFERRY_CLI_USAGE)\n'],
  [['list', '--token', 'wrong'], {}, 4, 'audience: The token is missing or wrong (EVENTFERRY_ADMIN_UNAUTHORIZED)\n'],
  [
    ['show', 'Nobody'],
    { EVENTFERRY_ADMIN_TOKEN: token },
    1,
    'audience: There is no audience "Nobody" (EVENTFERRY_ADMIN_NOT_FOUND)\n',
  ],
])('audience %j fails with a single line', async (args, env, code, err) => {
  const { url } = await serveAudiences({}, token);
  const ended = await run(['audience', ...args], { EVENTFERRY_SERVICE_URL: url, ...env });
  expect(ended).toMatchObject({ code, out: '', err });
});

test('audience show suggests the audience that a misspelt name probably means', async () => {
  const { url, audiences } = await serveAudiences({}, token);
  await audiences.replace('High Value Users', ['ann']);
  const ended = await run(['audience', 'show', 'high value user', '--url', url, '--token', token, '--json']);
  const message = 'There is no audience "high value user" (Did you mean "High Value Users"?)';
  expect({ ...ended, err: JSON.parse(ended.err) }).toMatchObject({
    ...{ code: 1, err: { error: { command: 'audience', code: 'EVENTFERRY_ADMIN_NOT_FOUND', message } } },
  });
});

test('audience show fails as refused if there is no service at the address', async () => {
  const url = await listen((_, response) => response.writeHead(404).end('not here'));
  expect(await run(['audience', 'show', 'Nobody', '--url', url, '--token', token])).toMatchObject({ code: 4 });
});
