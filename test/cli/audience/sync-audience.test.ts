import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { type AudienceCommandOptions, idFormats, syncAudience } from '../../../src/cli/audience/sync-audience.js';
import { numbered } from '../../service/audiences/numbered.js';
import { serveAudiences } from '../../service/audiences/serve.js';
import { membersOf } from '../../service/audiences/support.js';
import { ndjson, newFile } from '../files.js';
import { itemsOf } from '../list-items.js';
import { withStdin } from '../stdin.js';
import { readableTerminal } from '../terminal.js';

const token = 'the-admin-token';

/** Syncs files with a real service in this process. */
async function setUp() {
  const served = await serveAudiences({}, token);
  const sync = async (file: string, options: Partial<AudienceCommandOptions> = {}, stdin = '') => {
    const { printed, terminal } = readableTerminal({ isJson: true });
    const source = Readable.from([Buffer.from(stdin)]);
    await withStdin(source, () => syncAudience(file, { url: served.url, token, ...options }, terminal));
    return { result: JSON.parse(printed.out) };
  };
  return { ...served, sync };
}

test('audience sync reads NDJSON and prints the numbers of users who joined and left', async () => {
  const { sync } = await setUp();
  const first = await newFile('High Value Users.ndjson', ndjson([...numbered(2_000), { userId: 'ann' }]));
  const name = 'High Value Users';
  expect(await sync(first)).toEqual({
    result: { name, trait: 'high_value_users', members: 2_001, joined: 2_001, left: 0 },
  });
  const second = await newFile('other.jsonl', ndjson(['ann', 'bob']));
  expect((await sync(second, { name })).result).toMatchObject({ members: 2, joined: 1, left: 2_000 });
});

test('audience sync of standard input needs --name', async () => {
  const { sync, keyValues } = await setUp();
  await sync('-', { name: 'Users' }, 'ann\nbob\n');
  await sync('-', { name: 'Users', column: 'who' }, 'who\nann\ncid\n');
  expect(await membersOf(keyValues, 'users')).toEqual(['ann', 'cid']);
  await expect(sync('-', {}, 'ann\n')).rejects.toThrow('give --name NAME');
});

test('audience sync of a wrong or empty file changes nothing', async () => {
  const { sync, audiences } = await setUp();
  await expect(sync(await newFile('users.csv', 'a,b\n1,2\n'))).rejects.toThrow('there is no column "userId"');
  await expect(sync(await newFile('users.txt', ''))).rejects.toThrow(
    'holds no ids; give --allow-empty to let every member leave',
  );
  while ((await audiences.list()).length > 0) await new Promise(setImmediate);
});

test('audience sync waiting for the first id stops at Ctrl-C', async () => {
  const listeners = process.listenerCount('SIGINT');
  const { terminal } = readableTerminal();
  const silent = new Readable({ read() {} });
  onTestFinished(() => void silent.destroy());
  const options = { url: 'http://127.0.0.1:9', token, name: 'Users' };
  const synced = withStdin(silent, () => syncAudience('-', options, terminal));
  await expect.poll(() => process.listenerCount('SIGINT')).toBe(listeners + 1);
  process.listeners('SIGINT').at(-1)?.('SIGINT');
  await expect(synced).rejects.toMatchObject({ exitCode: 130, message: 'interrupted; nothing was changed' });
});

test('audience sync --allow-empty with a file without ids removes every member', async () => {
  const { sync } = await setUp();
  await sync(await newFile('users.txt', 'ann\n'));
  expect((await sync(await newFile('users.txt', ''), { allowEmpty: true })).result).toMatchObject({ left: 1 });
});

async function idsIn(name: string, content: string | Uint8Array, options: AudienceCommandOptions): Promise<string[]> {
  const file = await newFile(name, content);
  const found: string[] = [];
  for await (const id of itemsOf(file, options, idFormats(options))) found.push(id);
  return found;
}

test.each<[string, string, AudienceCommandOptions]>([
  ['users.txt', ' ann \r\n\nbob\n', {}],
  ['users', '\ufeffann\nbob', {}],
  ['users.csv', 'name,userId\nAnn,ann\n"Bob\nby",bob\n', {}],
  ['users.csv', 'who\nann\nbob\n', {}],
  ['users.csv', 'id,who\n1,ann\n2,bob\n', { column: 'who' }],
  ['users.csv', 'id;who\n1;ann\n2;bob\n', { column: 'who', delimiter: ';' }],
  ['users.tsv', 'id\twho\n1\tann\n2\tbob\n', { column: 'who' }],
  ['users.export', '"ann"\n"bob"\n', { format: 'ndjson' }],
])('the ids of %s with content %j and options %j are read, compressed or not', async (name, content, options) => {
  expect(await idsIn(name, content, options)).toEqual(['ann', 'bob']);
  expect(await idsIn(`${name}.gz`, gzipSync(content), options)).toEqual(['ann', 'bob']);
});

test.each<[string, string, AudienceCommandOptions, string]>([
  [
    'users.txt',
    '"ann"\n',
    {},
    'line 1: looks like JSON; give --format ndjson to read it as JSON, --format text to take it as it is',
  ],
  ['users.txt', `ann\n${'x'.repeat(1_001)}`, {}, 'line 2: expected an id of at most 1000 bytes, got one of 1001'],
  ['users.ndjson', '"ann"\n7\n', {}, 'line 2: expected a JSON string, or an object with a userId, got number 7'],
  ['users.csv', 'a,b\n1,2\n', {}, 'there is no column "userId"; give --column NAME, one of a, b'],
  ['users.csv', 'a,b\n1,2\n', { column: 'c' }, 'there is no column "c"; give --column NAME, one of a, b'],
  ['users.csv', 'a,b\n1,"x\ny"\n,2\n', { column: 'a' }, 'line 4: has no id'],
])('the ids of %s with content %.20j and options %j are refused: %s', async (name, content, options, message) => {
  await expect(idsIn(name, content, options)).rejects.toThrow(message);
});
