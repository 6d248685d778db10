import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Analytics, type AnalyticsOptions } from '../../../src/index.js';
import { client, track } from '../../support/client.js';
import { sink } from '../../support/sink.js';

/** JavaScript calls that the types would have refused. */
type Loose = (...given: unknown[]) => ReturnType<Analytics['track']>;

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

const hostile = new Proxy(
  {},
  {
    getPrototypeOf() {
      throw new Error('trap');
    },
  },
);

const wrong: readonly (readonly [what: string, code: string, given: readonly unknown[]])[] = [
  ['a number as `userId`', 'EVENTFERRY_INVALID_MESSAGE', [{ userId: 42, event: 'e' }]],
  ['no id', 'EVENTFERRY_INVALID_MESSAGE', [{ event: 'e' }]],
  ['null', 'EVENTFERRY_INVALID_MESSAGE', [null]],
  ['undefined', 'EVENTFERRY_INVALID_MESSAGE', []],
  ['a message in pieces', 'EVENTFERRY_INVALID_MESSAGE', ['Order Completed', { total: 42 }]],
  ['a callback', 'EVENTFERRY_INVALID_OPTION', [track(), () => {}]],
  ['a BigInt', 'EVENTFERRY_INVALID_MESSAGE', [{ ...track(), properties: { total: 10n } }]],
  ['a cycle', 'EVENTFERRY_INVALID_MESSAGE', [{ ...track(), properties: cycle }]],
  ['33 KB', 'EVENTFERRY_MESSAGE_TOO_LARGE', [{ ...track(), properties: { text: 'x'.repeat(33_000) } }]],
  ['1 MB', 'EVENTFERRY_MESSAGE_TOO_LARGE', [{ ...track(), properties: { text: 'x'.repeat(1_000_000) } }]],
  [
    'a toJSON that throws a proxy',
    'EVENTFERRY_INVALID_MESSAGE',
    [
      {
        ...track(),
        properties: {
          toJSON() {
            throw hostile;
          },
        },
      },
    ],
  ],
  [
    'a getter that throws',
    'EVENTFERRY_INVALID_MESSAGE',
    [
      Object.defineProperty({}, 'userId', {
        get: () => {
          throw 1;
        },
      }),
    ],
  ],
];

function reporting(options: Partial<AnalyticsOptions> & { endpoint: string }) {
  const made = client({ onInvalid: 'report', ...options });
  return { ...made, track: made.analytics.track as Loose };
}

test.each(wrong)(
  'with `onInvalid: report` a call with %s does not throw, and is accepted and lost at once',
  async (_, code, given) => {
    const { url, messages } = await sink();
    const { analytics, track: call, lost } = reporting({ endpoint: url });
    const receipt = call(...given);
    expect(analytics.stats()).toMatchObject({ accepted: 1, lost: 1, pending: 0, lostByCode: { [code]: 1 } });
    expect(receipt.filtered).toBe(false);
    await expect(receipt.delivered).rejects.toMatchObject({ code });
    expect(lost).toMatchObject([{ error: { code } }]);
    // Either the message or the input shows what was lost.
    expect([typeof lost[0]?.message, typeof lost[0]?.input].sort()).toEqual([
      code === 'EVENTFERRY_MESSAGE_TOO_LARGE' ? 'object' : 'string',
      'undefined',
    ]);
    await analytics.close();
    expect(messages).toEqual([]);
  },
);

test.each(wrong)('by default a call with %s throws, and nothing is accepted', async (_, code, given) => {
  const { analytics, lost } = client({ endpoint: 'http://127.0.0.1:1' });
  expect(() => (analytics.track as Loose)(...given)).toThrow(expect.objectContaining({ code }));
  expect(analytics.stats()).toMatchObject({ accepted: 0, lost: 0 });
  expect(lost).toEqual([]);
});

test('a loss shows the argument of an invalid call, but the message if it is only too large', () => {
  const { track: call, lost } = reporting({ endpoint: 'http://127.0.0.1:1' });
  call({ userId: 42, event: 'Paid' });
  const large = call({ ...track('Paid'), messageId: 'm1', properties: { rows: 'x'.repeat(33_000), total: 1 } });
  expect(lost[0]).toMatchObject({ message: undefined, input: '{ userId: 42, event: "Paid" }' });
  expect(lost[1]?.message).toMatchObject({ messageId: 'm1', event: 'Paid' });
  expect(lost[1]?.error.message).toMatch(
    /^Message m1 \(Paid\) is 33\d\d\d bytes; the limit is 32000\. The largest property is track\.properties\.rows \(33002 characters\)$/,
  );
  expect(large.messageId).toBe('m1');
});

test('the receipt of an invalid call causes no unhandled rejection, whether it is read or not', async () => {
  const rejected = vi.fn();
  process.on('unhandledRejection', rejected);
  onTestFinished(() => void process.off('unhandledRejection', rejected));
  const { track: call } = reporting({ endpoint: 'http://127.0.0.1:1' });
  for (const [, , given] of wrong) call(...given);
  const { delivered, stored } = call(null);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(rejected).not.toHaveBeenCalled();
  await expect(delivered).rejects.toMatchObject({ code: 'EVENTFERRY_INVALID_MESSAGE' });
  await expect(stored).rejects.toMatchObject({ code: 'EVENTFERRY_INVALID_MESSAGE' });
});

test('with `onInvalid: report`, a call after close() does not throw either', async () => {
  const { analytics, track: call } = reporting({ endpoint: 'http://127.0.0.1:1' });
  await analytics.close();
  await expect(call(track()).delivered).rejects.toMatchObject({ code: 'EVENTFERRY_CLOSED' });
  expect(analytics.stats()).toMatchObject({ accepted: 1, lost: 1 });
});

test('with `onInvalid: report`, a violation that would be thrown is lost with its message', () => {
  const events = {
    names: ['e'],
    check: () => ({ kind: 'violation', path: 'track.event', event: 'e', issues: [], text: 'no' }),
  };
  const { track: call, lost } = reporting({
    endpoint: 'http://127.0.0.1:1',
    events: events as never,
    onViolation: 'throw',
  });
  call(track());
  expect(lost).toMatchObject([{ message: { event: 'Order Completed' }, error: { name: 'ViolationError' } }]);
});

test('many invalid calls are logged once, and then counted once a minute', () => {
  const errors: string[] = [];
  const logger = { debug() {}, warn() {}, error: (line: string) => void errors.push(line) };
  const { track: call, clock } = reporting({ endpoint: 'http://127.0.0.1:1', logger });
  for (let i = 0; i < 1_000; i++) call({ userId: i, event: 'e' });
  expect(errors).toEqual([
    'eventferry: lost 1 message: track.userId: expected a non-empty string, got number 0 (EVENTFERRY_INVALID_MESSAGE)',
  ]);
  clock.advance(60_000);
  expect(errors.slice(1)).toEqual([
    'eventferry: lost 999 more messages: track.userId: expected a non-empty string, got number 999 (EVENTFERRY_INVALID_MESSAGE)',
  ]);
});

test('a call that could not be sent leaves nothing in a journal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-invalid-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { url } = await sink();
  const analytics = new Analytics({ writeKey: 'k', endpoint: url, onInvalid: 'report', journal: folder });
  analytics.on('lost', () => {});
  (analytics.track as Loose)({ userId: 'hunter2', event: 'e', properties: { total: 1n } });
  await analytics.track(track()).stored;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const written = files
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('');
  expect(written).not.toContain('hunter2');
  await analytics.close();
});

test('an invalid row of an import is accepted and lost, and reported to `lost` listeners', async () => {
  const { url, messages } = await sink();
  const analytics = new Analytics({ writeKey: 'k', endpoint: url });
  const inputs: unknown[] = [];
  analytics.on('lost', ({ message, input }) => inputs.push(message ?? input));
  const at = '2026-01-01T00:00:00.000Z';
  const rows = [
    { type: 'track', ...track(), timestamp: at },
    { type: 'track', userId: 7, event: 'e', timestamp: at },
    'x',
  ];
  const report = await analytics.import(rows as never);
  expect(report).toMatchObject({ accepted: 1, delivered: 1, lost: 0, invalidRows: 2 });
  expect(analytics.stats()).toMatchObject({ accepted: 3, delivered: 1, lost: 2, pending: 0 });
  expect(inputs).toEqual([`{ type: "track", userId: 7, event: "e", timestamp: "${at}" }`, '"x"']);
  expect(messages).toHaveLength(1);
  await analytics.close();
});
