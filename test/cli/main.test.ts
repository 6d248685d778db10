import { expect, test } from 'vitest';
import { run } from './command.js';

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

test('import --json prints its error as one line of JSON', async () => {
  const { err } = await run(['import', 'nowhere.ndjson', '--json', '--dry-run']);
  expect(JSON.parse(err)).toEqual({ error: { command: 'import', message: 'there is no file nowhere.ndjson' } });
});
