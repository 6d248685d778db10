import { expect, test } from 'vitest';
import { createLogger, describeLine } from '../../../src/cli/serve/pino-logger.js';
import { readableTerminal } from '../terminal.js';

test('without --json, serve logs readable text, from the configured level up', () => {
  const { printed, terminal } = readableTerminal();
  const log = createLogger({ level: 'warn' }, terminal);
  log.info('not shown');
  log.warn({ destination: 'crm', changes: ['a\u001b[2J'] }, 'it fails');
  expect(printed.out).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3}Z {2}warn {3}it fails {2}destination=crm {2}changes=\["a\\u001b\[2J"\]\n$/,
  );
});

test('a line of the log of serve has the stack of an error below it', () => {
  const line = {
    level: 'fatal',
    time: '2026-11-20T12:04:31.207Z',
    msg: 'it ends',
    pid: 1,
    stack: 'Error: no\n    at x',
  };
  expect(describeLine(line, readableTerminal().terminal)).toBe(
    '12:04:31.207Z  fatal  it ends\n    Error: no\n        at x',
  );
});
