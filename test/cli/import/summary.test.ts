import { expect, test } from 'vitest';
import { CliError, EXIT } from '../../../src/cli/cli-error.js';
import { printSummary, type Summary } from '../../../src/cli/import/summary.js';
import { readableTerminal } from '../terminal.js';

const from = { options: '', rejectsBytes: 0 } as const;
const whole: Summary = {
  delivered: 12_000,
  rejected: 0,
  elapsedMs: 2_000,
  stopped: undefined,
  firstRejects: [],
  canResume: false,
  connection: { endpoint: 'http://127.0.0.1:4100', writeKey: 'key' },
  checkpoint: undefined,
  from,
  options: {},
};

const stop = (exitCode: number, reason: string) => ({ stopped: new CliError(reason, { exitCode }) });

function print(changes: Partial<Summary>) {
  const { printed, terminal } = readableTerminal();
  const lines = () => printed.out.trimEnd().split('\n');
  try {
    return { code: printSummary({ ...whole, ...changes }, terminal), lines: lines() };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { code: error.exitCode, lines: lines(), error: error.message };
  }
}

const firstRejects = [{ file: 'a', line: 3, reason: 'not JSON\u001b[31m' }];
const first = '12,000 delivered, 0 rejected in 2.0 s, 6,000 events/s';

test.each<[string, Partial<Summary>, number, string[]]>([
  ['a whole import', {}, 0, [first]],
  ['a dry run', { options: { dryRun: true } }, 0, [first.replace('delivered', 'valid')]],
  ['no elapsed time', { elapsedMs: 0 }, 0, ['12,000 delivered, 0 rejected in 0.0 s']],
  [
    'a resumed import',
    { from: { ...from, last: { file: 0, line: 7, digest: '' } } },
    0,
    [first, 'Resumed after line 7.'],
  ],
  [
    'rejected rows',
    { delivered: 11_997, rejected: 3, firstRejects },
    1,
    [
      first.replace('12,000 delivered, 0 rejected', '11,997 delivered, 3 rejected'),
      '  a:3: not JSON\\u{1b}[31m',
      '  and 2 more; --rejects FILE keeps them all',
    ],
  ],
  [
    'rejected rows with --rejects',
    { delivered: 11_999, rejected: 1, firstRejects, options: { rejects: 'r.ndjson' } },
    1,
    [
      first.replace('12,000 delivered, 0 rejected', '11,999 delivered, 1 rejected'),
      '  a:3: not JSON\\u{1b}[31m',
      'Rejected rows are in r.ndjson.',
    ],
  ],
])('the summary and exit code of %s are printed', (_, changes, code, lines) => {
  expect(print(changes)).toEqual({ code, lines });
});

test.each<[string, Partial<Summary>, number, string]>([
  ['Ctrl-C', stop(EXIT.interrupted, 'interrupted'), 130, 'interrupted'],
  [
    'a collector that refuses',
    { ...stop(EXIT.refused, 'status 401'), canResume: true },
    4,
    'status 401; check the endpoint http://127.0.0.1:4100 and the write key; repeat the command to continue',
  ],
  ['a disk that is full', stop(EXIT.unusable, 'no space'), 3, 'no space'],
])('an error follows the summary of an import that stopped early: %s', (_, changes, code, error) => {
  expect(print(changes)).toEqual({ code, lines: [first], error });
});

test('an import that stopped before its first row prints no summary without --json', () => {
  expect(print({ delivered: 0, ...stop(EXIT.unusable, 'a JSON array') })).toEqual({
    code: 3,
    lines: [''],
    error: 'a JSON array',
  });
});
