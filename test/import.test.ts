import { describe, expect, test } from 'vitest';
import type { ImportProgress, TypedMessage } from '../src/index.js';
import { client } from './support/client.js';
import { type Answer, ok, sink, status } from './support/sink.js';

const at = (index: number) => new Date(Date.UTC(2020, 0, 1) + index * 1_000).toISOString();

const rowOf = (index: number): TypedMessage => ({
  type: 'track',
  userId: 'u1',
  event: `e${index}`,
  timestamp: at(index),
  messageId: `m${index}`,
});

function* rows(count: number): Generator<TypedMessage> {
  for (let index = 0; index < count; index++) yield rowOf(index);
}

async function* slowly(source: Iterable<TypedMessage>): AsyncGenerator<TypedMessage> {
  for (const row of source) yield row;
}

test.each([
  ['an array', () => [...rows(50)]],
  ['a generator', () => rows(50)],
  ['an async generator', () => slowly(rows(50))],
])('%s is sent in order, each message with its own timestamp', async (_, source) => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  await expect(analytics.import(source())).resolves.toEqual({
    accepted: 50,
    delivered: 50,
    lost: 0,
    filtered: 0,
    invalid: [],
  });
  expect(collector.messages.map(({ messageId, timestamp }) => [messageId, timestamp])).toEqual(
    Array.from({ length: 50 }, (_row, index) => [`m${index}`, at(index)]),
  );
});

test('every type may be in one source', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const timestamp = at(0);
  await analytics.import([
    { type: 'identify', userId: 'u', timestamp },
    { type: 'track', userId: 'u', event: 'e', timestamp },
    { type: 'page', userId: 'u', timestamp },
    { type: 'screen', userId: 'u', timestamp },
    { type: 'group', userId: 'u', groupId: 'g', timestamp },
    { type: 'alias', userId: 'u', previousId: 'p', timestamp },
  ]);
  expect(collector.messages.map(({ type }) => type)).toEqual(['identify', 'track', 'page', 'screen', 'group', 'alias']);
});

describe('a wrong row is told by its place, and the import goes on past it', () => {
  test.each<[unknown, string]>([
    [
      { type: 'track', userId: 'u', event: 'e' },
      'track.timestamp: expected a timestamp, as nothing but `allowNow` lets it be left out, got undefined',
    ],
    [{ type: 'track', userId: 'u', timestamp: 0 }, 'track.event: expected a non-empty string, got undefined'],
    [
      { type: 'click', timestamp: 0 },
      'row.type: expected one of identify, track, page, screen, group, alias, got string "click"',
    ],
    [{ timestamp: 0 }, 'row.type: expected one of identify, track, page, screen, group, alias, got undefined'],
    [
      { type: '__proto__', timestamp: 0 },
      'row.type: expected one of identify, track, page, screen, group, alias, got string "__proto__"',
    ],
    [null, 'row: expected an object, got null'],
    ['{"type":"track"}', 'row: expected an object, got string "{\\"type\\":\\"track\\"}"'],
    [
      { type: 'track', userId: 'u', event: 'x'.repeat(32_000), timestamp: 0, messageId: 'm' },
      'Message m is 32095 bytes; the limit is 32000',
    ],
  ])('%#', async (row, message) => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const report = await analytics.import([rowOf(0), row as TypedMessage, rowOf(2)]);
    expect(report).toMatchObject({ accepted: 2, delivered: 2, invalid: [{ index: 1, error: { message } }] });
    expect(collector.messages.map(({ messageId }) => messageId)).toEqual(['m0', 'm2']);
  });
});

test('with allowNow a row without a timestamp happens now', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  await analytics.import([{ type: 'track', userId: 'u', event: 'e' }], { allowNow: true });
  expect(collector.messages).toMatchObject([{ timestamp: '2026-11-20T12:00:00.000Z' }]);
});

test('what is delivered and what is lost is counted for this import alone', async () => {
  const refusal: Answer = ({ batch }) =>
    batch.some(({ messageId }) => messageId === 'm3')
      ? status(400)
      : Response.json({
          rejected: batch.flatMap((message, index) =>
            'event' in message && message.event === 'other' ? [{ index }] : [],
          ),
        });
  const collector = await sink(...Array<Answer>(20).fill(refusal));
  const { analytics } = client({
    endpoint: collector.url,
    before: (message) => (message.messageId === 'm7' ? null : message),
  });
  async function* withOthers(): AsyncGenerator<TypedMessage> {
    for (const row of rows(10)) {
      analytics.track({ userId: 'u', event: 'other' });
      yield row;
    }
  }
  await expect(analytics.import(withOthers())).resolves.toEqual({
    accepted: 9,
    delivered: 8,
    lost: 1,
    filtered: 1,
    invalid: [],
  });
  expect(analytics.stats()).toMatchObject({ accepted: 19, delivered: 8, lost: 11 });
});

test('progress is told every thousand rows and at the end', async () => {
  const collector = await sink(ok);
  const { analytics } = client({ endpoint: collector.url });
  const told: ImportProgress[] = [];
  await analytics.import(rows(2_500), { onProgress: (progress) => told.push(progress) });
  expect(told.map(({ rows: read, accepted, invalid }) => [read, accepted, invalid])).toEqual([
    [1_000, 1_000, 0],
    [2_000, 2_000, 0],
    [2_500, 2_500, 0],
  ]);
});

test.each<[string, () => never]>([
  [
    'throws',
    () => {
      throw new Error('progress');
    },
  ],
  ['is async and rejects', (() => Promise.reject(new Error('progress'))) as never],
])('an onProgress that %s breaks nothing and is logged', async (_, onProgress) => {
  const collector = await sink();
  const errors: string[] = [];
  const logger = { debug() {}, warn() {}, error: (line: string) => errors.push(line) };
  const { analytics } = client({ endpoint: collector.url, logger });
  await expect(analytics.import(rows(1_001), { onProgress })).resolves.toMatchObject({ delivered: 1_001 });
  expect(errors).toEqual(Array(2).fill('eventferry: a listener failed: progress'));
});

test('the queue never holds more than a part of the source', async () => {
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

test('a source that fails ends the import with its error, and what was accepted is still sent', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  function* failing(): Generator<TypedMessage> {
    yield rowOf(0);
    throw new Error('the file is gone');
  }
  await expect(analytics.import(failing())).rejects.toThrow('the file is gone');
  await analytics.flush();
  expect(collector.messages).toHaveLength(1);
});

test('closing the client ends the import', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  async function* closing(): AsyncGenerator<TypedMessage> {
    yield rowOf(0);
    void analytics.close();
    yield rowOf(1);
  }
  await expect(analytics.import(closing())).rejects.toMatchObject({ code: 'ANALYTICS_CLOSED' });
  await expect(analytics.close()).resolves.toMatchObject({ accepted: 1, delivered: 1 });
});
