import { expect, test } from 'vitest';
import type { ImportError, ImportReport, TypedMessage } from '../../../src/index.js';
import { MESSAGE_TYPES } from '../../../src/protocol/field-table.js';
import { client } from '../../support/client.js';
import { sampleCalls } from '../../support/sample-calls.js';
import { ok, sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { leave } from '../journal/life.js';
import { at, rowOf, rows } from './rows.js';

async function* slowly<T>(source: Iterable<T>): AsyncGenerator<T> {
  for (const row of source) yield row;
}

const inArrays = (): TypedMessage[][] => [[...rows(20)], [], [...rows(50)].slice(20)];

test.each([
  ['an array', () => [...rows(50)]],
  ['a generator', () => rows(50)],
  ['an async generator', () => slowly(rows(50))],
  ['an array of arrays', inArrays],
  ['an async generator of arrays', () => slowly(inArrays())],
])('%s is sent in order, each message with its own timestamp', async (_, source) => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  await expect(analytics.import(source())).resolves.toEqual({
    rows: 50,
    accepted: 50,
    delivered: 50,
    lost: 0,
    pending: 0,
    filtered: 0,
    skipped: 0,
    invalidRows: 0,
    invalid: [],
    resumeAt: 50,
  });
  expect(collector.messages.map(({ messageId, timestamp }) => [messageId, timestamp])).toEqual(
    Array.from({ length: 50 }, (_row, index) => [`m${index}`, at(index)]),
  );
});

test('requests of an import have no sentAt, so that collectors do not correct times, and later calls have one', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  await analytics.import(rows(3));
  analytics.track({ userId: 'u', event: 'Live' });
  await analytics.flush();
  expect(collector.requests.map(({ batch, sentAt }) => [batch.length, sentAt])).toEqual([
    [3, undefined],
    [1, expect.any(String)],
  ]);
});

test('one source may contain messages of every type', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const timestamp = at(0);
  await analytics.import(MESSAGE_TYPES.map((type) => ({ ...sampleCalls[type], type, timestamp }) as TypedMessage));
  expect(collector.messages.map(({ type }) => type)).toEqual(MESSAGE_TYPES);
});

test.each<[unknown, string]>([
  [
    { type: 'track', userId: 'u', event: 'e' },
    'track.timestamp: expected a timestamp, which only `allowNow` (--allow-now) makes optional, got undefined',
  ],
  [{ type: 'track', userId: 'u', timestamp: 0 }, 'track.event: expected a non-empty string, got undefined'],
  [{ type: 'click', timestamp: 0 }, `row.type: expected one of ${MESSAGE_TYPES.join(', ')}, got string "click"`],
  [{ timestamp: 0 }, `row.type: expected one of ${MESSAGE_TYPES.join(', ')}, got undefined`],
  [
    { type: '__proto__', timestamp: 0 },
    `row.type: expected one of ${MESSAGE_TYPES.join(', ')}, got string "__proto__"`,
  ],
  [null, 'row: expected an object, got null'],
  ['{"type":"track"}', 'row: expected an object, got string "{\\"type\\":\\"track\\"}"'],
  [
    { type: 'track', userId: 'u', event: 'x'.repeat(32_000), timestamp: 0, messageId: 'm' },
    `Message m (${'x'.repeat(199)}…) is 32095 bytes; the limit is 32000`,
  ],
])('a wrong row is reported with its index, and the import continues after it: %#', async (row, message) => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const report = await analytics.import([rowOf(0), row as TypedMessage, rowOf(2)]);
  expect(report).toMatchObject({ accepted: 2, delivered: 2, invalid: [{ index: 1, error: { message } }] });
  expect(collector.messages.map(({ messageId }) => messageId)).toEqual(['m0', 'm2']);
});

test('with allowNow, a row without a timestamp gets the current time', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  await analytics.import([{ type: 'track', userId: 'u', event: 'e' }], { allowNow: true });
  expect(collector.messages).toMatchObject([{ timestamp: '2026-11-20T12:00:00.000Z' }]);
});

test('onProgress is called every thousand rows and at the end, with the counts at that moment', async () => {
  const collector = await sink(ok);
  const { analytics } = client({ endpoint: collector.url });
  const told: ImportReport[] = [];
  async function* inParts(): AsyncGenerator<TypedMessage> {
    yield* [...rows(1_000)];
    await analytics.flush();
    yield* [...rows(1_500)];
  }
  await analytics.import(inParts(), { onProgress: (progress) => void told.push(progress) });
  expect(told).toMatchObject([
    { rows: 1_000, accepted: 1_000, invalidRows: 0 },
    { rows: 2_000, accepted: 2_000 },
    { rows: 2_500, accepted: 2_500, delivered: 2_500, lost: 0, pending: 0, resumeAt: 2_500 },
  ]);
  expect(told[1]?.delivered).toBeGreaterThanOrEqual(1_000);
  for (const { accepted, delivered, lost, pending } of told) expect(delivered + lost + pending).toBe(accepted);
});

test.each<[string, () => never]>([
  [
    'throws',
    () => {
      throw new Error('progress');
    },
  ],
  ['is async and rejects', (() => Promise.reject(new Error('progress'))) as never],
])('an onProgress that %s does not stop the import, and its error is logged', async (_, onProgress) => {
  const collector = await sink();
  const errors: string[] = [];
  const logger = { debug() {}, warn() {}, error: (line: string) => errors.push(line) };
  const { analytics } = client({ endpoint: collector.url, logger });
  await expect(analytics.import(rows(1_001), { onProgress })).resolves.toMatchObject({ delivered: 1_001 });
  await analytics.close();
  expect(errors).toEqual([
    'eventferry: a listener failed: progress',
    'eventferry: listeners failed 1 more times, the last: progress',
  ]);
});

test('an import never fills more than half of the queue', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, maxQueueBytes: 66_000 });
  let most = 0;
  function* watched(): Generator<TypedMessage> {
    for (const row of rows(3_000)) {
      most = Math.max(most, analytics.pending.bytes);
      yield row;
    }
  }
  await expect(analytics.import(watched())).resolves.toMatchObject({ delivered: 3_000, lost: 0 });
  expect(most).toBeLessThan(66_000 / 2 + 1_000);
});

test.each<[unknown, object, string]>([
  ['rows.ndjson', {}, 'Expected `source` to be an iterable or an async iterable of messages, got string "rows.ndjson"'],
  [undefined, {}, 'Expected `source` to be an iterable or an async iterable of messages, got undefined'],
  [[], { skip: -1 }, 'Expected `skip` to be an integer from 0 up, got number -1'],
  [[], { signal: new AbortController() }, 'Expected `signal` to be an AbortSignal, got an AbortController'],
  [[], { allownow: true }, 'Expected `allownow` to be a known option, got an unknown name. Did you mean `allowNow`?'],
])('an import with a wrong source or option is refused at once: %#', async (source, options, message) => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  await expect(analytics.import(source as never, options)).rejects.toThrow(message);
});

test('a row whose timestamp is null counts as without a timestamp', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const row = { type: 'track', userId: 'u', event: 'e', timestamp: null, context: null } as const;
  const { invalid } = await analytics.import([row]);
  expect(invalid.map(({ error }) => error.message)).toEqual([
    'track.timestamp: expected a timestamp, which only `allowNow` (--allow-now) makes optional, got null',
  ]);
  expect(await analytics.import([row], { allowNow: true })).toMatchObject({ accepted: 1, delivered: 1 });
  expect(collector.messages).toMatchObject([{ event: 'e', timestamp: expect.any(String) }]);
});

test('an import that is stopped and resumed with the same journal sends each row once and counts journaled rows as pending', async () => {
  const path = temporaryFolder();
  const source = [...rows(200)];
  const down = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  const stop = new AbortController();
  const importing = down.analytics.import(source, { signal: stop.signal }).catch((error: ImportError) => error.report);
  await expect.poll(() => down.analytics.stats().accepted).toBe(200);
  stop.abort();
  const report = await importing;
  expect(report).toMatchObject({ accepted: 200, delivered: 0, lost: 0, pending: 200, resumeAt: 200 });
  await leave({ ...down, events: [] });
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, journal: path });
  await analytics.import(source, { skip: report?.resumeAt });
  await analytics.flush();
  const found = collector.messages.map((message) => (message as { event?: string }).event);
  expect([found.length, new Set(found).size]).toEqual([200, 200]);
});

test('an import whose client is closed counts rows in the journal as pending, and resumeAt is after them', async () => {
  const down = client({ endpoint: 'http://127.0.0.1:1', journal: temporaryFolder() });
  const importing = down.analytics.import(rows(100)).catch((error: ImportError) => error);
  await expect.poll(() => down.analytics.stats().accepted).toBe(100);
  await leave({ ...down, events: [] });
  expect(await importing).toMatchObject({
    code: 'EVENTFERRY_IMPORT_STOPPED',
    cause: { code: 'EVENTFERRY_LEFT_IN_JOURNAL' },
    report: { accepted: 100, delivered: 0, lost: 0, pending: 100, resumeAt: 100 },
  });
});

test('an import that waits for room ends when its client is closed, even if the queued messages stay in the journal', async () => {
  const collector = await sink(() => new Promise<never>(() => {}));
  const life = client({ endpoint: collector.url, journal: temporaryFolder(), maxQueueBytes: 200_000 });
  const importing = life.analytics.import(rows(2_000)).catch((error: ImportError) => error);
  await expect.poll(() => life.analytics.pending.bytes).toBeGreaterThan(100_000);
  const { accepted } = await leave({ ...life, events: [] });
  expect(accepted).toBeLessThan(2_000);
  expect(await importing).toMatchObject({
    code: 'EVENTFERRY_IMPORT_STOPPED',
    cause: { code: 'EVENTFERRY_LEFT_IN_JOURNAL' },
    report: { accepted, delivered: 0, lost: 0, pending: accepted, resumeAt: accepted },
  });
});
