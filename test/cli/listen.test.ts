import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { sign } from '../../src/signature/sign.js';
import { start } from './command.js';

test('listen prints each delivery in one line, and ends at Ctrl-C', async () => {
  const { child, ended } = await start(['listen', '--port', '0', '--secret', 'shh', '--status', '503,200', '--json']);
  const [first] = child.stderr === null ? [] : await once(child.stderr, 'data');
  const { url } = JSON.parse(String(first));
  const body = JSON.stringify({ type: 'track', event: 'Paid\u001b[31m', userId: 'u1' });
  await fetch(url, { method: 'POST', body, headers: { 'X-Signature': sign(body, 'shh') } });
  await fetch(url, { method: 'POST', body, headers: { 'X-Signature': 'wrong' } });
  child.kill('SIGINT');
  const { code, out } = await ended;
  expect(code).toBe(0);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { number: 1, signature: 'valid', answer: '503', body: JSON.parse(body) },
    { number: 2, signature: 'invalid', answer: '200' },
  ]);
});

test('listen escapes control characters of a delivery', async () => {
  const { child, ended } = await start(['listen', '--port', '0', '--body'], { EVENTFERRY_WEBHOOK_SECRET: 'shh' });
  let notes = '';
  child.stderr?.on('data', (chunk) => {
    notes += chunk;
  });
  const url = await vi.waitFor(() => /http:\S+\d/.exec(notes)?.[0] ?? Promise.reject(new Error('not yet')), 10_000);
  await fetch(`${url}/%1b`, { method: 'POST', body: JSON.stringify({ type: 'track', event: '\u001b[2J\u202e' }) });
  child.kill('SIGINT');
  const { out } = await ended;
  expect(out).toContain('\\u{1b}[2J\\u{202e}');
  expect(out).toContain('signature missing');
  expect(out).not.toMatch(/[^\P{C}\n]/u);
});
