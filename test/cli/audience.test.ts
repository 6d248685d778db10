import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listAudiences, showAudience } from '../../src/cli/audience/show.js';
import { type SyncAudienceOptions, syncAudience } from '../../src/cli/audience/sync.js';
import { numbered } from '../service/audiences/numbered.js';
import { listen, serveAudiences } from '../service/audiences/serve.js';
import { membersOf } from '../service/audiences/support.js';
import { run, start } from './command.js';
import { ndjson, newFile } from './files.js';
import { readableTerminal } from './terminal.js';

const token = 'the-admin-token';

/** Syncs a file with a real service, in this process. */
async function setUp() {
  const served = await serveAudiences({}, token);
  const sync = async (file: string, options: Partial<SyncAudienceOptions> = {}, stdin = '') => {
    const { printed, terminal } = readableTerminal({ isJson: true });
    const source = Readable.from([Buffer.from(stdin)]);
    const code = await syncAudience(file, { url: served.url, token, ...options }, terminal, source);
    return { code, result: JSON.parse(printed.out) };
  };
  return { ...served, sync };
}

describe('audience sync', () => {
  test('audience sync takes NDJSON and prints who joined and left', async () => {
    const { sync } = await setUp();
    const first = await newFile('High Value Users.ndjson', ndjson([...numbered(2_000), { userId: 'ann' }]));
    const name = 'High Value Users';
    expect(await sync(first)).toEqual({
      code: 0,
      result: { name, trait: 'high_value_users', members: 2_001, joined: 2_001, left: 0 },
    });
    const second = await newFile('other.jsonl', ndjson(['ann', 'bob']));
    expect((await sync(second, { name })).result).toMatchObject({ members: 2, joined: 1, left: 2_000 });
  });

  test.each([
    ['users.txt', ' ann \r\n\nbob\n', {}],
    ['users', '\ufeffann\nbob', {}],
    ['users.csv', 'name,userId\nAnn,ann\n"Bob\nby",bob\n', {}],
    ['users.csv', 'who\nann\nbob\n', {}],
    ['users.csv', 'id,who\n1,ann\n2,bob\n', { column: 'who' }],
    ['users.csv', 'id;who\n1;ann\n2;bob\n', { column: 'who', delimiter: ';' }],
    ['users.tsv', 'id\twho\n1\tann\n2\tbob\n', { column: 'who' }],
    ['users.export', '"ann"\n"bob"\n', { format: 'ndjson', name: 'Users' }],
  ] as [string, string, Partial<SyncAudienceOptions>][])(
    'audience sync reads %s %j',
    async (file, content, options) => {
      const { sync, keyValues } = await setUp();
      await sync(await newFile(file, content), options);
      expect(await membersOf(keyValues, 'users')).toEqual(['ann', 'bob']);
      await sync(await newFile(`${file}.gz`, gzipSync(content)), options);
      expect(await membersOf(keyValues, 'users')).toEqual(['ann', 'bob']);
    },
  );

  test('audience sync of standard input needs --name', async () => {
    const { sync, keyValues } = await setUp();
    await sync('-', { name: 'Users' }, 'ann\nbob\n');
    await sync('-', { name: 'Users', column: 'who' }, 'who\nann\ncid\n');
    expect(await membersOf(keyValues, 'users')).toEqual(['ann', 'cid']);
    await expect(sync('-', {}, 'ann\n')).rejects.toThrow('give --name NAME');
  });

  test.each([
    [
      'users.txt',
      '"ann"\n',
      {},
      'line 1 looks like JSON; give --format ndjson to read it as JSON, --format text to take it as it is',
    ],
    ['users.txt', `ann\n${'x'.repeat(1_001)}`, {}, 'line 2: expected an id of at most 1000 bytes, got one of 1001'],
    ['users.ndjson', '"ann"\n7\n', {}, 'line 2: expected a JSON string, or an object with a userId, got number 7'],
    ['users.csv', 'a,b\n1,2\n', {}, 'no column userId holds the ids; give --column NAME, one of a, b'],
    ['users.csv', 'a,b\n1,2\n', { column: 'c' }, 'there is no column "c"; give --column NAME, one of a, b'],
    ['users.csv', 'a,b\n1,"x\ny"\n,2\n', { column: 'a' }, 'line 4 has no id'],
    ['users.txt', '', {}, 'holds no ids; give --allow-empty to let every member leave'],
  ] as [string, string, Partial<SyncAudienceOptions>, string][])(
    'audience sync stops at a mistake in %s %.20j',
    async (file, content, options, message) => {
      const { sync, audiences } = await setUp();
      await expect(sync(await newFile(file, content), options)).rejects.toThrow(message);
      while ((await audiences.list()).length > 0) await new Promise(setImmediate);
    },
  );

  test('audience sync stops at Ctrl-C while it waits for the first id', async () => {
    const listeners = process.listenerCount('SIGINT');
    const { printed, terminal } = readableTerminal();
    const silent = new Readable({ read() {} });
    onTestFinished(() => void silent.destroy());
    const synced = syncAudience('-', { url: 'http://127.0.0.1:9', token, name: 'Users' }, terminal, silent);
    await expect.poll(() => process.listenerCount('SIGINT')).toBe(listeners + 1);
    process.listeners('SIGINT').at(-1)?.('SIGINT');
    expect(await synced).toBe(130);
    expect(printed.err).toBe('audience: interrupted; nothing was changed\n');
  });

  test('audience sync of a file without ids removes every member with --allow-empty', async () => {
    const { sync } = await setUp();
    await sync(await newFile('users.txt', 'ann\n'));
    expect((await sync(await newFile('users.txt', ''), { allowEmpty: true })).result).toMatchObject({ left: 1 });
  });
});

test('audience list and audience show print audiences', async () => {
  const { url, audiences } = await setUp();
  await audiences.replace('High Value Users', numbered(1_200));
  await audiences.replace('Apes\u001b[31m', ['ann']);
  const { printed, terminal } = readableTerminal();
  await listAudiences({ url, token }, terminal);
  await showAudience('High Value Users', { url, token }, terminal);
  const line = 'High Value Users  high_value_users  1,200 members  synced 2026-11-20T12:00:00.000Z\n';
  expect(printed).toEqual({
    out: `Apes\\u{1b}[31m  apes_31m  1 member  synced 2026-11-20T12:00:00.000Z\n${line}${line}`,
    err: '2 audiences\n',
  });
});

describe('audience as a command', () => {
  test('audience sync takes the token from the environment', async () => {
    const { url } = await setUp();
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

  test('audience sync that Ctrl-C stops after the upload says that the service finishes it', async () => {
    let isHere = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      isHere = resolve;
    });
    const url = await listen((request) => request.resume().on('end', isHere));
    const file = await newFile('Users.txt', 'ann\n');
    const { child, ended } = await start(['audience', 'sync', file, '--url', url, '--token', token]);
    await arrived;
    child.kill('SIGINT');
    const err = 'audience: interrupted; the service finishes the sync\n';
    expect(await ended).toMatchObject({ code: 130, out: '', err });
  });

  test.each([
    [['list'], {}, 'audience: no token; give --token TOKEN or set EVENTFERRY_ADMIN_TOKEN\n'],
    [['list', '--token', 'wrong'], {}, 'audience: The admin token is missing or wrong\n'],
    [['show', 'Nobody'], { EVENTFERRY_ADMIN_TOKEN: token }, 'audience: There is no audience "Nobody"\n'],
  ])('audience %j fails with one line', async (args, env, err) => {
    const { url } = await setUp();
    const ended = await run(['audience', ...args], { EVENTFERRY_SERVICE_URL: url, ...env });
    expect(ended).toMatchObject({ code: 1, out: '', err });
  });
});
