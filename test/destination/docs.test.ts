import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as door from '../../src/destination/index.js';
import { listen } from '../scheduler/test-endpoint.js';
import { runCode } from '../support/run-code.js';

const page = readFileSync(new URL('../../docs/destination.md', import.meta.url), 'utf8');
const snippets = [...page.matchAll(/^```ts run\n(.*?)^```$/gms)].map(([, code = '']) => code);

/** Answers like the invented endpoints on the page. */
const STATUS: Record<string, number> = { '/hook': 200, '/gone': 410, '/busy': 503 };

/** Runs a snippet unchanged, apart from the addresses of its endpoints and its folder. Returns what it printed. */
async function run(code: string): Promise<string> {
  const server = createServer((request, response) => response.writeHead(STATUS[request.url ?? ''] ?? 500).end());
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const local = code
    .replaceAll('https://customer.example.com', origin)
    .replaceAll('Destination.open({', 'Destination.open({ allowLoopback: true,')
    .replaceAll('./deliveries', folder);
  const lines: string[] = [];
  const print = (...words: unknown[]): void =>
    void lines.push(words.map((word) => (typeof word === 'string' ? word : inspect(word))).join(' '));
  vi.spyOn(console, 'log').mockImplementation(print);
  vi.spyOn(console, 'error').mockImplementation(print);
  onTestFinished(() => void vi.restoreAllMocks());
  await runCode(local, () => door);
  return lines.join('\n');
}

const printed = [
  /^1 accepted$/,
  /^m1 http\S*\/gone permanent 410\n1 sent again\n1 discarded$/,
  /^1 sent again\nm1 shop http\S*\/hook$/,
  /busy retrying a 5xx status .*'server-error': 1/s,
  /^initech 1\nglobex 0$/,
];

test('the page has as many snippets as this test expects', () => {
  expect(snippets).toHaveLength(printed.length);
});

test.each(printed.map((expected, index) => ({ expected, code: snippets[index] ?? '', number: index + 1 })))(
  'snippet $number runs and prints what the page says',
  async ({ code, expected }) => {
    expect(await run(code)).toMatch(expected);
  },
);

test('the page lists every option of a destination and of a webhook, and every event', () => {
  const declaredIn = (file: string, name: string): string[] => {
    const source = readFileSync(new URL(`../../src/destination/${file}`, import.meta.url), 'utf8');
    const [, body = ''] = new RegExp(`interface ${name} \\{(.*?)^\\}`, 'ms').exec(source) ?? [];
    return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, field = '']) => field);
  };
  const options = [
    ...['name', 'store'],
    ...declaredIn('settings/destination-settings.ts', 'DestinationSettings'),
    ...declaredIn('settings/destination-settings.ts', 'WebhookOptions'),
  ];
  expect(options.length).toBeGreaterThan(15);
  expect(options.filter((option) => !page.includes(`| \`${option}\` |`))).toEqual([]);
  const events = declaredIn('destination-events.ts', 'DestinationEvents');
  expect(events.length).toBeGreaterThan(6);
  expect(events.filter((event) => !page.includes(`\`${event}\``))).toEqual([]);
});
