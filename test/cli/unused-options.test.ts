import { expect, test } from 'vitest';
import { run } from './command.js';
import { newFile } from './files.js';
import { newJournal } from './journal/new-journal.js';

const SERVICE = ['--token', 'a-token', '--url', 'http://127.0.0.1:9'];

/** Contents of files by name. */
const FILES = {
  'body.json': '{"a":1}',
  'rows.ndjson': '{"type":"track","event":"e","userId":"u"}\n',
  'ids.txt': 'u1\n',
  'ids.ndjson': '{"userId":"u1"}\n',
};

test.each<[args: string[], file: keyof typeof FILES, flags: string[], reason: string]>([
  [['sign'], 'body.json', ['--secret', 's', '--id', 'x'], '--id is for the scheme standard'],
  [['sign'], 'body.json', ['--secret', 's', '--timestamp', '5'], '--timestamp is for the scheme standard'],
  [['import'], 'rows.ndjson', ['--dry-run', '--map', 'userId=x'], '--map is for CSV'],
  [
    ['audience', 'sync'],
    'ids.txt',
    [...SERVICE, '--delimiter', ';'],
    '--delimiter is for CSV, and ids.txt is read as text',
  ],
  [['audience', 'sync'], 'ids.ndjson', [...SERVICE, '--delimiter', ';'], '--delimiter is for CSV, and ids.ndjson is'],
  [['audience', 'sync'], 'ids.txt', [...SERVICE, '--format', 'text', '--column', 'c'], '--column is for CSV'],
  [
    ['trait', 'sync'],
    'ids.ndjson',
    [...SERVICE, '--column', 'c'],
    '--column is for CSV, and ids.ndjson is read as NDJSON',
  ],
  [['trait', 'sync'], 'ids.ndjson', [...SERVICE, '--format', 'ndjson', '--value', 'c'], '--value is for CSV'],
  [['trait', 'sync'], 'ids.ndjson', [...SERVICE, '--delimiter', ';'], '--delimiter is for CSV'],
])('%j of %s refuses %j, which would have no effect', async (args, name, flags, reason) => {
  const { code, out, err } = await run([...args, await newFile(name, FILES[name]), ...flags]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err.replaceAll(/\S*\/(?=\w+\.\w+ is)/g, '')).toContain(reason);
});

test.each([
  [['listen', '--port', '0', '--status', 'hang,reset', '--slow-body'], '--slow-body is for answers with a body'],
  [['dev', '--port', '0', '--secret', 'shhh'], '--secret signs what --webhook forwards; give --webhook URL'],
])('%j is refused, because its last option would have no effect', async (args, reason) => {
  expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(reason) });
});

test('journal list --waiting refuses --code, which only applies to dead letters', async () => {
  const path = await newJournal();
  const { code, err } = await run(['journal', 'list', path, '--waiting', '--code', 'EVENTFERRY_REJECTED']);
  expect({ code, err }).toMatchObject({
    code: 2,
    err: expect.stringContaining('--code cannot be combined with --waiting'),
  });
  expect(await run(['journal', 'list', path, '--waiting', '--dead', '--code', 'EVENTFERRY_REJECTED'])).toMatchObject({
    code: 0,
  });
});

test('an option that is used by one of several schemes is accepted', async () => {
  const path = await newFile('body.json', FILES['body.json']);
  const { code, out } = await run([
    'sign',
    path,
    '--secret',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    '--scheme',
    'x-signature',
    'standard',
    '--id',
    'x',
  ]);
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('webhook-id: x') });
});
