import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startCollector } from './collector.js';
import { run } from './command.js';
import { newFile } from './files.js';

// All commands that read a whole file report a wrong file in the same way.

const NOWHERE = ['--endpoint', 'http://127.0.0.1:1', '--write-key', 'k'];
const send = (value: string): string[] => ['send', 'page', ...NOWHERE, '--user', 'u1', '--properties', value];

/** Runs a command with a file that contains these bytes. */
type Reads = (bytes: Uint8Array) => ReturnType<typeof run>;

const commands: Record<string, { readonly kind: string; readonly good: string; readonly reads: Reads }> = {
  'send @FILE': {
    kind: 'JSON',
    good: '[]',
    reads: async (bytes) => run(send(`@${await newFile('a.json', bytes)}`)),
  },
  'send @-': { kind: 'JSON', good: '[]', reads: (bytes) => run(send('@-'), {}, bytes) },
  types: {
    kind: 'JSON',
    good: '{"events":{}}',
    reads: async (bytes) => run(['types', await newFile('p.json', bytes)]),
  },
  'types -': { kind: 'JSON', good: '{"events":{}}', reads: (bytes) => run(['types', '-'], {}, bytes) },
  check: {
    kind: 'JSON',
    good: '{"events":{}}',
    reads: async (bytes) => run(['check', await newFile('p.json', bytes), await newFile('a.ndjson', '')]),
  },
  'check-config': {
    kind: 'JSON or YAML',
    good: 'sources: [{ name: shop, writeKeys: [a] }]',
    reads: async (bytes) => run(['check-config', await newFile('c.yaml', bytes)]),
  },
  'check-config -': {
    kind: 'JSON or YAML',
    good: 'sources: [{ name: shop, writeKeys: [a] }]',
    reads: (bytes) => run(['check-config', '-'], {}, bytes),
  },
  serve: {
    kind: 'JSON or YAML',
    good: 'sources: 3',
    reads: async (bytes) => run(['serve', await newFile('c.yaml', bytes)]),
  },
  'a plan of a configuration': {
    kind: 'JSON',
    good: '{"events":{}}',
    reads: async (bytes) => {
      const trackingPlan = { file: await newFile('p.json', bytes) };
      const config = { sources: [{ name: 'shop', writeKeys: ['a'], trackingPlan }] };
      return run(['check-config', await newFile('c.json', JSON.stringify(config))]);
    },
  },
};

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

describe.each(Object.entries(commands))('%s', (name, { kind, good, reads }) => {
  const expected = name.startsWith('a plan of') ? 'text' : kind;
  test.each<[string, Uint8Array, string]>([
    [
      'UTF-16 with a mark',
      utf16(`\ufeff${good}`),
      'text in UTF-16, and not KIND in UTF-8; convert it: iconv -f UTF-16 ',
    ],
    ['UTF-16 without one', utf16(good), 'text in UTF-16, and not KIND in UTF-8; convert it: iconv -f UTF-16LE '],
    ['gzip', gzipSync(good), 'compressed with gzip, and not KIND in UTF-8; unpack it: gzip -dc FILE'],
    ['HTML', Buffer.from('<!DOCTYPE html>'), 'an HTML page, and not KIND in UTF-8; '],
    ['Latin-1', Buffer.from(`${good} é`, 'latin1'), 'not UTF-8 text'],
  ])('a file of %s is refused with exit code 3 and one sentence', async (_, bytes, sentence) => {
    const { code, err } = await reads(bytes);
    expect(err).toContain(sentence.replace('KIND', expected));
    expect(code).toBe(3);
  });

  test('a file with a byte order mark is read like one without', async () => {
    const ended = [await reads(Buffer.from(good)), await reads(Buffer.from(`\ufeff${good}`))];
    const [bare, marked] = ended.map(({ code, err }) => ({ code, err: err.replaceAll(/\S*\/eventferry-\w+/g, '') }));
    expect(marked).toEqual(bare);
  });
});

test('the JSON of an option may begin with a byte order mark, like that of a file', async () => {
  const { url, close } = await startCollector();
  onTestFinished(close);
  const to = ['send', 'page', '--endpoint', url, '--write-key', 'key', '--user', 'u1', '--properties'];
  expect((await run([...to, '\ufeff{"a":1}'])).err).toBe('');
  expect((await run([...to, `@${await newFile('a.json', '\ufeff{"a":1}')}`])).err).toBe('');
});

// A mistake in the command line itself exits with 2. A mistake that only the file shows, even about the options, exits with 3.

const PLAN = '{"events":{}}';
const readers: Record<string, (file: string, flags: string[]) => Promise<string[]> | string[]> = {
  import: (file, flags) => ['import', file, ...NOWHERE, '--restart', ...flags],
  'import --dry-run': (file, flags) => ['import', file, '--dry-run', ...flags],
  check: async (file, flags) => ['check', await newFile('p.json', PLAN), file, ...flags],
  'audience sync': (file, flags) => ['audience', 'sync', file, '--token', 'a-token-of-tests', ...flags],
  'trait sync': (file, flags) => ['trait', 'sync', file, '--token', 'a-token-of-tests', ...flags],
};

const isSync = (command: string): boolean => command.endsWith('sync');

const ofFiles: [what: string, file: string, content: string, message: string][] = [
  ['an unknown column', 'a.csv', 'a,b\n1,2\n', 'a'],
  ['a column twice', 'a.csv', 'userId,userId\n1,2\n', 'userId'],
  ['another delimiter', 'a.csv', 'userId;value\n1;2\n', "give --delimiter ';'"],
  ['NDJSON', 'a.csv', '{"userId":"u1"}\n', 'does not begin as CSV'],
  ['CSV', 'a.ndjson', 'userId,value\nu1,2\n', 'give --format csv to read CSV'],
  ['a JSON array', 'a.ndjson', '[{}]', 'does not begin as NDJSON'],
  ['Latin-1 in the header', 'a.csv', 'userId,\xe9\n1,2\n', 'the header is not valid UTF-8'],
];

describe.each(Object.entries(readers))('%s', (command, argsOf) => {
  test.each(ofFiles)(
    'a file with %s causes exit code 3, and the error names the file',
    async (_, name, content, message) => {
      const file = await newFile(name, Buffer.from(content, 'latin1'));
      const { code, err } = await run(await argsOf(file, []));
      expect(err).toContain(message);
      expect(err).toContain(`${command.split(' ')[0]}: ${file}`);
      expect(code).toBe(3);
    },
  );

  const contradicted = isSync(command)
    ? [['--column', 'zz']]
    : [
        ['--map', 'userId=zz'],
        ['--map', 'userId=a:int'],
        ['--set', 'userId=x'],
      ];
  test.each(contradicted)(
    'a file that contradicts %s %s causes exit code 3, and the error names the file',
    async (...flags) => {
      const file = await newFile('a.csv', 'a,userId\n1,2\n');
      const { code, err } = await run(await argsOf(file, flags));
      expect(err).toContain(`${command.split(' ')[0]}: ${file}: `);
      expect(code).toBe(3);
    },
  );

  const wrong = isSync(command)
    ? [['--delimiter', '"']]
    : [
        ['--map', 'usr=a'],
        ['--set', 'usr=x'],
        ['--set', 'properties.=x'],
        ['--map', 'userId=a', '--set', 'userId=x'],
        ['--map', 'properties=a', '--map', 'properties.x=b'],
        ['--set', 'properties=a', '--set', 'properties.x=b'],
      ];
  test.each(wrong.map((flags) => [flags]))('%j is wrong with any file, and causes exit code 2', async (flags) => {
    const { code, err } = await run(await argsOf(await newFile('a.csv', 'no header\n'), flags));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(flags[0] ?? '') });
  });
});

test.each(['audience', 'trait'])(
  '%s sync refuses a file without entries with exit code 3, and names it',
  async (noun) => {
    const file = await newFile('a.csv', 'userId,value\n');
    const { code, err } = await run([noun, 'sync', file, '--token', 'a-token-of-tests']);
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining(`${file} holds no`) });
  },
);
