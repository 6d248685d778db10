import { beforeEach, expect, test } from 'vitest';
import { QueueFullError, RejectedError } from '../../../src/base/errors/errors.js';
import { LossTotals } from '../../../src/client/ending/loss-totals.js';
import { Teller } from '../../../src/client/report/teller.js';
import { FakeClock } from '../../support/fake-clock.js';

let clock: FakeClock;
let lines: string[];
let warnings: string[];
let printed: string[];
let totals: LossTotals;

beforeEach(() => {
  clock = new FakeClock();
  lines = [];
  warnings = [];
  printed = [];
  totals = new LossTotals((line) => printed.push(line));
});

const teller = (hasReader: boolean, isWarning = true) =>
  new Teller(
    { hasReader, warn: (line) => lines.push(`warn ${line}`), error: (line) => lines.push(`error ${line}`) },
    { clock, warnings: isWarning },
    (text, code, advice) => warnings.push(`${code} ${text}; ${advice}`),
    totals,
  );

const full = new QueueFullError(9, 8);

test('a loss is logged as an error and a violation as a warning, and repeats are counted', () => {
  const { tell } = bound(teller(true));
  tell('lost', 1, full, false);
  tell('violation', 1, full, false);
  tell('lost', 7, full, false);
  tell('violation', 1, full, false);
  clock.advance(60_000);
  const said = 'The queue is full: 9 bytes wait and `maxQueueBytes` is 8 (EVENTFERRY_QUEUE_FULL)';
  expect(lines).toEqual([
    `error lost 1 message: ${said}`,
    `warn ${said}`,
    `error lost 7 more messages: ${said}`,
    `warn 1 more message like this one: ${said}`,
  ]);
  expect(warnings).toEqual([]);
});

test('a loss without a listener or logger causes a process warning, once for each status', async () => {
  const { tell } = bound(teller(false));
  for (const status of [402, 403]) tell('lost', 2, new RejectedError(status, ''), false);
  await expect.poll(() => warnings).toHaveLength(2);
  tell('lost', 2, new RejectedError(402, ''), false);
  expect(warnings).toEqual([
    expect.stringMatching(/^EVENTFERRY_REJECTED lost 2 messages: .* 402 .*; listen to `lost` or give a `logger`/),
    expect.stringMatching(/ 403 /),
  ]);
});

test('a warning covers all losses of one turn, and the line at the end covers all losses', async () => {
  const { tell } = bound(teller(false));
  for (let i = 0; i < 5; i++) tell('lost', 1, full, false);
  expect(warnings).toEqual([]);
  await expect.poll(() => warnings).toEqual([expect.stringContaining('lost 5 messages: The queue is full')]);
  tell('lost', 2, full, false);
  totals.tell();
  expect(printed).toEqual([expect.stringContaining('lost 7 messages: The queue is full')]);
});

test('losses that were printed at the end cause no further warning', async () => {
  teller(false).tell('lost', 1, full, false);
  totals.tell();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect({ printed: printed.length, warnings }).toEqual({ printed: 1, warnings: [] });
});

test.each([
  ['a listener received', false, true, true],
  ['the log contains', true, true, false],
  ['happens in a client without warnings', false, false, false],
])('a loss that %s causes no warning, and no line at the end', async (_, hasReader, isWarning, isHeard) => {
  teller(hasReader, isWarning).tell('lost', 1, full, isHeard);
  await new Promise((resolve) => setTimeout(resolve, 5));
  totals.tell();
  expect({ printed, warnings }).toEqual({ printed: [], warnings: [] });
});

const bound = (made: Teller) => ({ tell: made.tell.bind(made) });
