import { expect, test } from 'vitest';
import { printRequest } from '../../../src/cli/dev/print-request.js';
import { readableTerminal } from '../terminal.js';

const answered = { status: 200, code: undefined, accepted: 3, duplicates: 0, rejected: 0, durationMs: 1 };
const request = {
  path: '/v1/batch',
  receivedAt: '2026-11-20T12:04:31.207Z',
  attempt: 1,
  userAgent: 'eventferry/1.0.0',
  remoteAddress: '127.0.0.1',
  wireBytes: 1_204,
  bytes: 1_204,
  expandedBytes: 1_204,
  messages: 3,
};

test.each([
  ['a batch', {}, {}, '3 messages  1,204 B  → 200  eventferry/1.0.0'],
  [
    'a batch that comes again, in part',
    { rejected: 1, duplicates: 2 },
    { attempt: 2 },
    '3 messages  1,204 B  1 rejected  2 duplicates  attempt 2  → 200  eventferry/1.0.0',
  ],
  [
    'a wrong write key',
    { status: 401 },
    { messages: 0, bytes: 0, userAgent: 'curl\u001b[2J' },
    'wrong write key  → 401  curl\\u{1b}[2J',
  ],
])('dev prints %s in one line', (_, answer, come, line) => {
  const { printed, terminal } = readableTerminal();
  printRequest({ ...answered, ...answer }, { ...request, ...come }, terminal);
  expect(printed).toEqual({ out: `12:04:31.207Z  ${line}\n`, err: '' });
});

test('dev --json prints a request as one object', () => {
  const { printed, terminal } = readableTerminal({ isJson: true });
  printRequest({ ...answered, status: 401 }, request, terminal);
  expect(JSON.parse(printed.out)).toMatchObject({ status: 401, problem: 'wrong write key', messages: 3, attempt: 1 });
});
