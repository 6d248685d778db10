import { expect, test } from 'vitest';
import { run, start } from './command.js';

test('dev prints the webhooks and whether it signs, not the secret', async () => {
  const { child, ended } = await start(['dev', '--port', '0', '--webhook', 'http://127.0.0.1:1/', '--secret', 'shhh']);
  child.stdout?.once('data', () => child.kill('SIGINT'));
  const { code, out, err } = await ended;
  expect(code).toBe(0);
  expect(out).toContain('Forwarding to http://127.0.0.1:1/, signed.');
  expect(out + err).not.toContain('shhh');
});

test.each([
  [['nonsense'], 'dev: Expected --webhook to be an absolute URL, got a string of 8 characters\n'],
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

test('dev prints no write key but the default', async () => {
  const { child, ended } = await start(['dev', '--port', '0'], { EVENTFERRY_WRITE_KEY: 'of-my-own' });
  child.stdout?.once('data', () => child.kill('SIGINT'));
  const { out, err } = await ended;
  expect(out).toContain('writeKey: process.env.EVENTFERRY_WRITE_KEY');
  expect(out + err).not.toContain('of-my-own');
});
