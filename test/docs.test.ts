import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { transform } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULTS } from '../src/client/analytics-options.js';
import { Analytics, OptionError } from '../src/index.js';
import * as testing from '../src/testing/index.js';
import { runCode } from './support/run-code.js';
import { sink } from './support/sink.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8');

/** All pages. Code blocks for other entry points have words after `ts`, and tests of their own. */
const pages = [
  'README.md',
  ...(await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
];

/** The code blocks of each page that has any. */
const programs = (
  await Promise.all(
    pages.map(async (page) => {
      const blocks = [...(await read(page)).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
      return { page, blocks };
    }),
  )
).filter(({ blocks }) => blocks.length > 0);

async function runFile(file: string): Promise<{ output: string; exit: unknown }> {
  const child = spawn(process.execPath, [file], { cwd: dirname(file) });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const exit = await new Promise((resolve) => child.on('close', resolve));
  return { output, exit };
}

test.each(programs)('each block of $page runs, and the messages that it sends arrive', async ({ blocks }) => {
  // The folder is inside the package, so that the package is found by its own name.
  const folder = await mkdtemp(join(root, 'test/block-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const collectors = await Promise.all(blocks.map(() => sink()));
  for (const [index, code] of blocks.entries()) {
    // Compiles like tsx, which would take its time to start in each child.
    const compiled = await transform(code.replaceAll('http://127.0.0.1:4100', collectors[index]?.url ?? ''), {
      loader: 'ts',
    });
    await writeFile(join(folder, `block-${index}.mjs`), compiled.code);
  }
  // All blocks of a page run in one process, because starting one takes longer than running a block.
  const names = blocks.map((_, index) => `block-${index}.mjs`);
  const each = names.map((name) => `await import('./${name}'); console.log('${name} has run');`);
  await writeFile(join(folder, 'page.mjs'), each.join('\n'));
  const { output, exit } = await runFile(join(folder, 'page.mjs'));
  expect(exit, output).toBe(0);
  expect(output).not.toMatch(/Warning|Error/);
  for (const [index, name] of names.entries()) {
    expect(output).toContain(`${name} has run`);
    // With a captured client, nothing leaves the process.
    const isCaptured = blocks[index]?.includes('captureAnalytics');
    if (!isCaptured) expect(collectors[index]?.messages.length, name).toBeGreaterThan(0);
  }
});

/** How all other programs on the pages are run. */
const RUN_BY: Record<string, readonly string[]> = {
  'docs/api.md': ['ts run'],
  'docs/audiences.md': ['ts run'],
  'docs/collector.md': ['js run'],
  'docs/configuration.md': ['js run'],
  'docs/destination.md': ['ts run'],
  'docs/messages.md': ['ts run'],
  'docs/migrating.md': ['ts before', 'ts after'],
  'docs/runtimes.md': ['js worker'],
  'docs/serverless.md': ['js worker'],
  'docs/service.md': ['js run'],
  'docs/testing.md': ['js vitest'],
  'docs/tracking-plans.md': ['typescript'],
};

test('every program on a page is run by a test', async () => {
  for (const page of pages.filter((page) => page !== 'docs/webhooks.md')) {
    const kinds = [...(await read(page)).matchAll(/^```((?:ts|js|typescript|javascript)\b.*)$/gm)].map(
      ([, kind = '']) => kind,
    );
    const unknown = kinds.filter((kind) => kind !== 'ts' && !RUN_BY[page]?.includes(kind));
    expect(unknown, page).toEqual([]);
  }
});

/** Returns a module as the body of a function, which can be parsed without resolving the imports. */
const asBody = (module: string): string =>
  module
    .replaceAll(/^import\b[^;]*;.*$/gm, '')
    .replaceAll(/^export default /gm, 'exported = ')
    .replaceAll(/^export /gm, '');

function syntaxErrorOf(code: string): string | undefined {
  try {
    new Script(`async () => {${asBody(code)}\n}`);
    return undefined;
  } catch (error) {
    return `${error}\n${code}`;
  }
}

test('every block of JavaScript can be parsed by the Node that runs the tests, including the oldest supported one', async () => {
  const blocks = (
    await Promise.all(
      pages.map(async (page) =>
        [...(await read(page)).matchAll(/^ *```(.*)\n([\s\S]*?)^ *```$/gm)].map(([, kind = '', code = '']) => ({
          page,
          kind,
          code,
        })),
      ),
    )
  )
    .flat()
    .filter(
      ({ kind, code }) =>
        /^(?:js|javascript|mjs|cjs)\b/.test(kind) ||
        (kind === '' && /^import .* from '/m.test(code) && !/^ *(?:declare|type|interface)\b/m.test(code)),
    );
  expect(blocks.length).toBeGreaterThan(8);
  const errors = blocks.flatMap(({ page, code }) => {
    const error = syntaxErrorOf(code);
    return error === undefined ? [] : [`${page}: ${error}`];
  });
  expect(errors).toEqual([]);
  expect(syntaxErrorOf('const = 1;')).toContain('SyntaxError');
});

test.each(['docs/runtimes.md', 'docs/serverless.md'])(
  'the Worker of %s answers, and its tracked events arrive',
  async (page) => {
    const [, code = ''] = /^```js worker\n(.*?)^```$/ms.exec(await read(page)) ?? [];
    const collector = await sink();
    const folder = await mkdtemp(join(root, 'test/block-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'worker.mjs'), code.replace('https://events.example.com', collector.url));
    await writeFile(
      join(folder, 'platform.mjs'),
      `import worker from './worker.mjs';
const promises = [];
const context = { waitUntil: (promise) => void promises.push(promise), passThroughOnException() {}, props: {} };
const env = { WRITE_KEY: 'dev', ENDPOINT: '${collector.url}' };
console.log((await worker.fetch(new Request('https://shop.example/'), env, context)).status);
for (const promise of promises) await promise;`,
    );
    const { output, exit } = await runFile(join(folder, 'platform.mjs'));
    expect(exit, output).toBe(0);
    expect(output).toBe('200\n');
    expect(collector.messages).toMatchObject([{ type: 'page' }]);
  },
);

test('the test with matchers on the page about testing passes', async () => {
  const [, code = ''] = /^```js vitest\n(.*?)^```$/ms.exec(await read('docs/testing.md')) ?? [];
  const ran: string[] = [];
  const inTest = (name: string, body: () => void): void => {
    body();
    ran.push(name);
  };
  const modules: Record<string, object> = { vitest: { expect, test: inTest }, 'eventferry/testing': testing };
  await runCode(code, (name) => modules[name]);
  expect(ran).toEqual(['an order is tracked']);
});

const shownDefaults = { ...DEFAULTS, maxQueueBytes: '64 MiB', retryFor: '4 hours', maxRetries: 'no limit' };

/** Returns the cell of an option in the column `default`. */
function defaultIn(page: string, option: string, column: number): string | undefined {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${option}\` |`));
  return row?.split(' | ').at(column)?.replaceAll('`', '').trim();
}

test('the page about the options lists every option with its default', async () => {
  const page = await read('docs/options.md');
  const declared = (await read('src/client/analytics-options.ts'))
    .split('export interface AnalyticsOptions')[1]
    ?.split('\n}')[0];
  const options = [...(declared?.matchAll(/^ {2}(\w+)\??:/gm) ?? [])];
  expect(options.length).toBeGreaterThan(15);
  for (const [, name] of options) expect(page, name).toContain(`\`${name}\``);
  for (const [name, value] of Object.entries(shownDefaults)) expect(defaultIn(page, name, 2), name).toBe(String(value));
});

test('the README shows the defaults of the code', async () => {
  const page = await read('README.md');
  const named = Object.entries(shownDefaults).filter(([name]) => page.includes(`| \`${name}\` |`));
  expect(named.length).toBeGreaterThan(4);
  for (const [name, value] of named) expect(defaultIn(page, name, 1), name).toBe(String(value));
});

/** Returns the rows of the option tables on the page about migrating: the name in another client, and the replacement. */
async function renamedOptions(): Promise<[string, string][]> {
  const tables = (await read('docs/migrating.md')).matchAll(
    /^\| (?:option|`Config`[^|]*) \| here \|\n\|.*\n((?:\|.*\n)+)/gm,
  );
  const rows = [...tables].flatMap(([, rows = '']) =>
    rows
      .trim()
      .split('\n')
      .map((row) => row.split(' | ')),
  );
  return rows.flatMap(([elsewhere = '', here = '']): [string, string][] =>
    [...elsewhere.matchAll(/`(\w+)(?:: \w+)?`(?!\))/g)].map(([, name = '']) => [name, here]),
  );
}

test('an option of another client is refused with the replacement that the page about migrating gives', async () => {
  const renamed = await renamedOptions();
  expect(renamed.length).toBeGreaterThan(40);
  for (const [name, here] of renamed) {
    // An option with the same name exists here too.
    if (here.includes(`\`${name}\``)) continue;
    const options = { writeKey: 'k', endpoint: 'http://127.0.0.1:9', [name]: 1 };
    expect(() => new Analytics(options as never), name).toThrow(OptionError);
    let hint = '';
    try {
      new Analytics(options as never);
    } catch (error) {
      hint = String(error).split('got an unknown name')[1] ?? '';
    }
    const written = [...hint.matchAll(/`(?:analytics\.)?(\w+(?:\('\w+')?)/g)].map(([, option = '']) => option);
    expect(
      written.filter((option) => here.includes(`\`${option}`)),
      `${name}: ${hint}`,
    ).not.toEqual([]);
  }
});

test('the page about errors lists every code, except those on the page about audiences and computed traits', async () => {
  const sources = (await readdir(join(root, 'src'), { recursive: true })).filter((name) => name.endsWith('.ts'));
  const text = (await Promise.all(sources.map((name) => read(`src/${name}`)))).join('');
  const codes = [...text.matchAll(/(?:code = |: )'(EVENTFERRY_\w+)'/g)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(40);
  const page = await read('docs/errors.md');
  const here = codes.filter((code) => !/^EVENTFERRY_(ADMIN|AUDIENCES?|TRAITS?|ENDPOINT|WRITE_KEY)/.test(code));
  expect(here.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

test.each([
  ['events', 'src/client/report/client-events.ts', /^ {2}(\w+): (?:\{|JournalEvent)/gm, /^\| `(\w+)` \| [^|`]+ \| `/gm],
  [
    'channels',
    'src/client/report/channels.ts',
    /^ {2}'(eventferry:[\w:]+)': From</gm,
    /^\| `(eventferry:[\w:]+)` \|/gm,
  ],
])('the page about observability lists exactly the %s of a client', async (_, source, declared, named) => {
  const namesIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
  const page = await read('docs/observability.md');
  expect(namesIn(await read(source), declared).length).toBeGreaterThan(4);
  expect(namesIn(page, named).sort()).toEqual(namesIn(await read(source), declared).sort());
});

test('the page about observability lists exactly the metrics for OpenTelemetry', async () => {
  const files = (await readdir(join(root, 'src/opentelemetry'))).map((name) => read(`src/opentelemetry/${name}`));
  const source = (await Promise.all(files)).join('');
  const made = [...source.matchAll(/\.create\w+\('([\w.]+)'/g)].map(([, name]) => name);
  expect(made.length).toBeGreaterThan(6);
  const page = await read('docs/observability.md');
  const named = [...page.matchAll(/^\| `((?:eventferry|http)\.[\w.]+)` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(made.sort());
});

test('the page about testing lists exactly the members of a captured client', async () => {
  const source = await read('src/testing/capture-analytics.ts');
  const [, declared = ''] = /export interface CapturedAnalytics[^{]*\{([\s\S]*?)\n\}/.exec(source) ?? [];
  const members = [...declared.matchAll(/^ {2}(?:readonly )?(\w+)[:(]/gm)].map(([, name = '']) => name);
  expect(members.length).toBeGreaterThan(8);
  const table = (await read('docs/testing.md')).split('## What a captured client has')[1]?.split('\n## ')[0] ?? '';
  const cells = [...table.matchAll(/^\| (`.*?`) \| /gm)].map(([, cell = '']) => cell);
  expect(cells.flatMap((cell) => [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name)).sort()).toEqual(members.sort());
});

test('the page about the architecture names only files that exist', async () => {
  const files = [...(await read('docs/architecture.md')).matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(10);
  const paths = files.map((file) => (file.startsWith('test/') ? file : `src/${file}`));
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
