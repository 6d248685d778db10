import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { bundled } from '../../support/bundled.js';
import { run, start } from '../command.js';
import { newFile } from '../files.js';

/** Makes the package importable by its name from a file anywhere. */
const SOURCE = fileURLToPath(new URL('../../../src/index.ts', import.meta.url));

/** Runs the lines as a program without the environment of this process. Resolves with its exit code. */
async function runSnippet(code: string): Promise<unknown> {
  const file = await newFile('snippet.mts', code.replace("'eventferry'", JSON.stringify(SOURCE)));
  const program = spawn(process.execPath, [bundled(pathToFileURL(file))], { stdio: 'ignore', env: {} });
  const [exitCode] = await once(program, 'exit');
  return exitCode;
}

/** Code that sends a request with an unknown key after the event of the snippet was answered. */
const WRONG_KEY = (code: readonly string[]): string => {
  const [url = ''] = /http:[^']+/.exec(code.join(' ')) ?? [];
  return `await analytics.flush(); await fetch('${url}/v1/batch', { method: 'POST', headers: { authorization: 'Basic ' + btoa('stolen:') } });`;
};

test('dev prints the webhooks and that it signs, but not the secret', async () => {
  const { child, ended } = await start(['dev', '--port', '0', '--webhook', 'http://127.0.0.1:1/', '--secret', 'shhh']);
  child.stdout?.once('data', () => child.kill('SIGINT'));
  const { code, out, err } = await ended;
  expect(code).toBe(0);
  expect(out).toContain('Forwarding to http://127.0.0.1:1/, signed.');
  expect(out + err).not.toContain('shhh');
});

test.each([
  [
    ['nonsense'],
    'dev: Expected --webhook to be an absolute URL of http or https, got a string of 8 characters (EVENTFERRY_DESTINATION_INVALID_OPTION)\n',
  ],
  [['http://a', 'http://b', 'http://c', 'http://d', 'http://e', 'http://f'], 'dev: Expected --webhook to be 1 to 5'],
])('dev refuses the webhooks %j', async (urls, line) => {
  const { code, err } = await run(['dev', '--port', '0', ...urls.flatMap((url) => ['--webhook', url])]);
  expect(code).toBe(2);
  expect(err).toContain(line);
});

test('dev prints the address of the page and a snippet, and ends at Ctrl-C', async () => {
  const { child, ended } = await start(['dev', '--port', '0', '--json']);
  child.stdout?.once('data', () => child.kill('SIGINT'));
  const { code, out } = await ended;
  expect(code).toBe(0);
  const { url, snippet } = JSON.parse(out);
  expect(snippet).toEqual([
    "import { Analytics } from 'eventferry';",
    `const analytics = new Analytics({ writeKey: 'dev', endpoint: '${url}' });`,
    "analytics.track({ userId: 'u1', event: 'Hello World' });",
  ]);
});

test('the snippet of dev --write-key works unchanged, and dev prints a line for its event and for a wrong key', async () => {
  const { child, ended } = await start(['dev', '--port', '0', '--write-key', 'of-my-own']);
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const code: string[] = [];
  let sender: ReturnType<typeof runSnippet> | undefined;
  for await (const line of lines) {
    if (line.startsWith('  ')) code.push(line.trim());
    if (line.startsWith('Press Ctrl-C')) sender = runSnippet([...code, WRONG_KEY(code)].join('\n'));
    if (line.includes('wrong write key')) child.kill('SIGINT');
  }
  expect(await sender).toBe(0);
  const { out } = await ended;
  const told = out.split('\n').filter((line) => line.includes('→'));
  expect(told).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}Z {2}1 message {2}[\d,]+ B {2}→ 200 {2}eventferry\//),
    expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}Z {2}wrong write key {2}→ 401 {2}node$/),
  ]);
  expect(out).not.toContain('stolen');
});

test('dev does not print a write key from the environment', async () => {
  const { child, ended } = await start(['dev', '--port', '0'], { EVENTFERRY_WRITE_KEY: 'of-my-own' });
  child.stdout?.once('data', () => child.kill('SIGINT'));
  const { out, err } = await ended;
  expect(out).toContain('writeKey: process.env.EVENTFERRY_WRITE_KEY');
  expect(out + err).not.toContain('of-my-own');
});
