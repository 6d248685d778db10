import { runInNewContext } from 'node:vm';
import pino from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { createLog } from '../../../src/client/report/create-log.js';
import { client, next, track } from '../../support/client.js';
import { hostileThrows } from '../../support/hostile-throws.js';
import { sink } from '../../support/sink.js';

afterEach(() => vi.unstubAllEnvs());

/** The lines that a logger gets while a message is sent that is first refused and then accepted. */
async function linesOf(debug: string): Promise<string[]> {
  vi.stubEnv('DEBUG', debug);
  const lines: string[] = [];
  const logger = {
    debug: (line: string) => lines.push(`debug ${line}`),
    warn: (line: string) => lines.push(`warn ${line}`),
    error: (line: string) => lines.push(`error ${line}`),
  };
  const collector = await sink(503);
  const { analytics, clock } = client({ endpoint: collector.url, logger });
  analytics.track({ ...track(), messageId: 'm1' });
  const flushed = analytics.flush();
  clock.advance((await next(analytics, 'retry')).delayMs);
  await flushed;
  return lines;
}

/** The explanation of the first failure. */
const FIRST =
  /^warn eventferry: The collector answered 503 \(at 127\.0\.0\.1:\d+\)\. Check `endpoint` and the collector\. Messages wait .* \(`retryFor`\)$/;

test('with DEBUG=analytics, a logger gets each step', async () => {
  expect(await linesOf('analytics')).toEqual([
    'debug eventferry: track "Order Completed" m1 accepted, 112 characters',
    expect.stringMatching(/^debug eventferry: flush 1 messages, \d+ bytes$/),
    expect.stringMatching(FIRST),
    'warn eventferry: attempt 1 with 1 messages failed, next in 250 ms: The collector answered 503',
    'debug eventferry: delivered 1 messages',
  ]);
});

test('without DEBUG, a logger gets only failures', async () => {
  expect(await linesOf('')).toEqual([expect.stringMatching(FIRST)]);
});

test('steps of a client without a logger go to the logger of DEBUG', () => {
  const steps: string[] = [];
  const write = (line: string) => void steps.push(line);
  const log = createLog(undefined, { debug: write, warn: write, error: write });
  log.debug?.('a step');
  expect(steps).toEqual(['eventferry: a step']);
  expect(log.hasReader).toBe(true);
});

test('without DEBUG, steps of a client without a logger are not written', () => {
  const log = createLog(undefined, undefined);
  expect(log.debug).toBeUndefined();
  expect(log.hasReader).toBe(false);
});

test('a pino logger can be adapted', async () => {
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const collector = await sink(402);
  const { analytics } = client({ endpoint: collector.url, logger });
  analytics.track(track());
  await analytics.flush();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 50,
      msg: 'eventferry: lost 1 message: The collector refused the message with status 402 (EVENTFERRY_REJECTED)',
    },
  ]);
});

/** Functions that fail in every possible way. */
const failing: readonly (readonly [string, () => never])[] = [
  ...hostileThrows.map(
    ([what, thrown]) =>
      [
        `throws ${what}`,
        () => {
          throw thrown;
        },
      ] as const,
  ),
  ['rejects', (() => Promise.reject(new Error('logger'))) as never],
  ['rejects with a promise of another realm', (() => runInNewContext('Promise.reject("no")')) as never],
];

test.each(failing)('a logger that %s does no harm', async (_, fail) => {
  const collector = await sink(401);
  const { analytics, lost } = client({ endpoint: collector.url, logger: { debug: fail, warn: fail, error: fail } });
  analytics.track(track());
  await analytics.flush();
  expect(lost).toHaveLength(1);
});

test.each(failing)('a listener that %s does no harm and is logged on one short line', async (_, fail) => {
  const lines: string[] = [];
  const logger = { debug() {}, warn() {}, error: (line: string) => lines.push(line) };
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, logger });
  analytics.on('delivered', fail);
  const receipt = analytics.track(track());
  await analytics.flush();
  await receipt.delivered;
  expect(lines).toEqual([expect.stringMatching(/^eventferry: a listener failed: [^\n]{1,201}$/)]);
});

test('failing listeners of any events cause one line, and then one line a minute with a count', async () => {
  const lines: string[] = [];
  const logger = { debug() {}, warn() {}, error: (line: string) => lines.push(line) };
  const { analytics, clock } = client({ endpoint: (await sink()).url, logger, onInvalid: 'report' });
  const fail = () => {
    throw new Error('no');
  };
  for (const event of ['delivered', 'lost', 'flush'] as const) analytics.on(event, fail);
  for (let i = 0; i < 20; i++) analytics.track(track());
  for (let i = 0; i < 20; i++) analytics.track({} as never);
  await analytics.flush();
  const failures = () => lines.filter((line) => line.includes('listener'));
  expect(failures()).toEqual(['eventferry: a listener failed: no']);
  clock.advance(60_000);
  expect(failures().slice(1)).toEqual(['eventferry: listeners failed 40 more times, the last: no']);
});

test("a log line is a single line, whatever the event's name", async () => {
  vi.stubEnv('DEBUG', 'analytics');
  const lines: string[] = [];
  const logger = { debug: (line: string) => lines.push(line), warn() {}, error() {} };
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, logger });
  vi.unstubAllEnvs();
  analytics.track({ ...track(), messageId: 'm1\neventferry: forged' });
  expect(lines).toEqual([
    expect.stringMatching(/^eventferry: track "Order Completed" m1\\neventferry: forged accepted, \d+ characters$/),
  ]);
});

/** Returns what a logger gets if a collector responds with these statuses and the client gives up after `attempts` attempts. */
async function toldOf(attempts: number, ...statuses: number[]) {
  const told: unknown[] = [];
  const logger = {
    debug() {},
    warn: (text: string, details: object) => told.push([text, details]),
    error: (text: string, details: object) => told.push([text, details]),
  };
  const { url } = await sink(...statuses);
  const { analytics, clock } = client({ endpoint: url, logger, maxRetries: attempts - 1 });
  analytics.track(track());
  analytics.track(track());
  const flushed = analytics.flush();
  for (let attempt = 1; attempt < attempts; attempt++) clock.advance((await next(analytics, 'retry')).delayMs);
  await flushed;
  return { told, clock, analytics };
}

test('each line has the code, the attempt, the number of messages, the pause and the error for programs', async () => {
  const { told } = await toldOf(2, 503, 503);
  const failure = expect.objectContaining({ name: 'AnswerError', status: 503 });
  expect(told).toEqual([
    [
      expect.stringContaining('Check `endpoint`'),
      { code: 'EVENTFERRY_ANSWER', attempt: 1, messages: 2, delayMs: 250, error: failure },
    ],
    [
      expect.stringContaining('lost 2 messages: Gave up after 2 attempts'),
      { code: 'EVENTFERRY_RETRIES_EXHAUSTED', messages: 2, error: expect.objectContaining({ attempts: 2 }) },
    ],
  ]);
});

test('the first retry of a kind is logged at once, and the others of that minute as a count', async () => {
  const { told, clock, analytics } = await toldOf(5, 503, 503, 503, 503);
  clock.advance(60_000);
  await analytics.close();
  expect(told.map((line) => (line as [string])[0])).toEqual([
    expect.stringContaining('Check `endpoint`'),
    'eventferry: 3 more attempts, the last with 2 messages failed, next in 2000 ms: The collector answered 503',
  ]);
});

test('a winston logger gets the details as fields, as does pino through an adapter', async () => {
  const winstonLines: object[] = [];
  const winston = {
    debug() {},
    warn() {},
    error: (message: string, meta: object) => winstonLines.push({ message, ...meta }),
  };
  const pinoLines: string[] = [];
  const base = pino({ level: 'debug' }, { write: (line) => void pinoLines.push(line) });
  const adapted = {
    debug: (text: string, details: object) => base.debug(details, text),
    warn: (text: string, details: object) => base.warn(details, text),
    error: (text: string, details: object) => base.error(details, text),
  };
  for (const logger of [winston, adapted]) {
    const { analytics } = client({ endpoint: (await sink(402)).url, logger });
    analytics.track(track());
    await analytics.flush();
  }
  const fields = { code: 'EVENTFERRY_REJECTED', messages: 1 };
  expect(winstonLines).toMatchObject([fields]);
  expect(pinoLines.map((line) => JSON.parse(line))).toMatchObject([{ level: 50, ...fields, error: {} }]);
});
