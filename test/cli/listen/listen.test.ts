import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { printDelivery } from '../../../src/cli/listen/listen.js';
import type { ReceivedDelivery } from '../../../src/cli/listen/webhook-server.js';
import { standardHeaders } from '../../../src/signature/standard.js';
import { sign } from '../../../src/signature/x-signature.js';
import { start } from '../command.js';
import { readableTerminal } from '../terminal.js';

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

const body = Buffer.from('{"type":"track"}');
const delivery: ReceivedDelivery = {
  number: 1,
  receivedAt: '2026-11-20T12:00:00.000Z',
  method: 'POST',
  path: '/',
  headers: {},
  body,
  isCut: false,
  answer: 'hang',
};

function printed(changes: Partial<ReceivedDelivery>, secret: string[] = []) {
  const { printed, terminal } = readableTerminal({ isJson: true });
  printDelivery({ ...delivery, ...changes }, { secret }, terminal);
  return JSON.parse(printed.out);
}

test.each([
  ['valid', sign(body, 'new'), ['new', 'old'], false],
  ['valid', sign(body, 'old'), ['new', 'old'], false],
  ['invalid', sign(body, 'other'), ['new'], false],
  ['invalid', sign(body, 'new'), ['new'], true],
  ['missing', undefined, ['new'], false],
  ['missing', '', ['new'], false],
  ['unchecked', sign(body, 'new'), [], false],
])('listen prints that a signature is %s (%#)', (signature, header, secrets, isCut) => {
  expect(printed({ headers: { 'x-signature': header }, isCut }, secrets)).toMatchObject({ signature, answer: 'hang' });
});

test('listen checks the headers of each signature scheme', () => {
  const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const headers = standardHeaders({ id: 'a', timestampSeconds, body, secret: key });
  const receivedAt = new Date().toISOString();
  expect(printed({ headers, receivedAt }, [key])).toMatchObject({ signature: 'valid' });
  expect(printed({ headers, receivedAt }, ['a secret of X-Signature'])).toMatchObject({ signature: 'invalid' });
  expect(printed({ headers: { ...headers, 'webhook-id': 'b' }, receivedAt }, [key])).toMatchObject({
    signature: 'invalid',
  });
});

test.each([
  ['{"type":"track"}', { type: 'track' }],
  ['[1]', '[1]'],
  ['{', '{'],
])('listen --json prints the body %s as an object if it is one', (text, expected) => {
  expect(printed({ body: Buffer.from(text) })).toMatchObject({ body: expected, bytes: text.length });
});
