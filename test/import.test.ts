import { describe, expect, test } from 'vitest';
import type { ImportError, ImportProgress, TypedMessage } from '../src/index.js';
import { client, next } from './support/client.js';
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
    pending: 0,
    filtered: 0,
    skipped: 0,
    invalidRows: 0,
    invalidByCode: {},
    invalid: [],
    resumeAt: 50,
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
  await expect(analytics.import(withOthers())).resolves.toMatchObject({
    accepted: 9,
    delivered: 8,
    lost: 1,
    pending: 0,
    filtered: 1,
    resumeAt: 10,
  });
  expect(analytics.stats()).toMatchObject({ accepted: 19, delivered: 8, lost: 11 });
});

test('progress is told every thousand rows and at the end, with what is delivered by then', async () => {
  const collector = await sink(ok);
  const { analytics } = client({ endpoint: collector.url });
  const told: ImportProgress[] = [];
  async function* inParts(): AsyncGenerator<TypedMessage> {
    yield* [...rows(1_000)];
    await analytics.flush();
    yield* [...rows(1_500)];
  }
  await analytics.import(inParts(), { onProgress: (progress) => void told.push(progress) });
  expect(told).toMatchObject([
    { rows: 1_000, accepted: 1_000, invalid: 0 },
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

describe('invalid rows', () => {
  const wrong = (index: number) => ({ ...rowOf(index), event: '' });

  test('past the first thousand are counted by code and not kept', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const large = { ...rowOf(0), event: 'x'.repeat(32_000) };
    const report = await analytics.import([...Array.from({ length: 1_200 }, (_, index) => wrong(index)), large]);
    expect(report.invalid).toHaveLength(1_000);
    expect(report).toMatchObject({
      invalidRows: 1_201,
      invalidByCode: { ANALYTICS_INVALID_MESSAGE: 1_200, ANALYTICS_MESSAGE_TOO_LARGE: 1 },
      resumeAt: 1_201,
    });
  });

  test('are each told to onInvalid, and the import waits for what it returns', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const told: [unknown, string, number][] = [];
    let isWriting = false;
    const onInvalid = async (row: unknown, { code }: { code: string }, index: number) => {
      expect(isWriting).toBe(false);
      isWriting = true;
      await new Promise((resolve) => setImmediate(resolve));
      isWriting = false;
      told.push([row, code, index]);
    };
    const [first, second] = [wrong(1), wrong(3)];
    await analytics.import([rowOf(0), first, rowOf(2), second], { onInvalid });
    expect(told).toEqual([
      [first, 'ANALYTICS_INVALID_MESSAGE', 1],
      [second, 'ANALYTICS_INVALID_MESSAGE', 3],
    ]);
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('an onInvalid that %s breaks nothing and is logged', async (_, onInvalid) => {
    const collector = await sink();
    const errors: string[] = [];
    const logger = { debug() {}, warn() {}, error: (line: string) => errors.push(line) };
    const { analytics } = client({ endpoint: collector.url, logger });
    await expect(analytics.import([wrong(0), rowOf(1)], { onInvalid })).resolves.toMatchObject({ delivered: 1 });
    expect(errors).toEqual([expect.stringContaining('a listener failed: Error: no')]);
  });

  test('leave the event loop its turns, so that an import of nothing else can be stopped', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const controller = new AbortController();
    function* endless(): Generator<TypedMessage> {
      setImmediate(() => controller.abort());
      for (;;) yield wrong(0);
    }
    await expect(analytics.import(endless(), { signal: controller.signal })).rejects.toMatchObject({
      report: { accepted: 0 },
    });
  });
});

describe('skip', () => {
  test('passes over the rows that an earlier import is through with', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const report = await analytics.import([...rows(5), null as never], { skip: 3 });
    expect(report).toMatchObject({ skipped: 3, delivered: 2, resumeAt: 6, invalid: [{ index: 5 }] });
    expect(collector.messages.map(({ messageId }) => messageId)).toEqual(['m3', 'm4']);
  });

  test('keeps resumeAt where it was until its rows are read again', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const told: number[] = [];
    await analytics.import(rows(2_500), { skip: 2_200, onProgress: ({ resumeAt }) => told.push(resumeAt) });
    expect(told).toEqual([2_200, 2_200, 2_500]);
  });
});

test('with a rate, rows are taken evenly, and after a delay at most those of one second at once', async () => {
  const collector = await sink();
  const { analytics, clock } = client({ endpoint: collector.url });
  let taken = 0;
  function* counted(): Generator<TypedMessage> {
    for (const row of rows(1_000)) {
      taken++;
      yield row;
    }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const takenAfter = async (ms: number): Promise<number> => {
    const before = taken;
    clock.advance(ms);
    await turn();
    return taken - before;
  };
  const controller = new AbortController();
  const { signal } = controller;
  const imported = analytics.import(counted(), { rate: 10, signal });
  await turn();
  expect(taken).toBe(2);
  const each: number[] = [];
  for (let round = 0; round < 10; round++) each.push(await takenAfter(100));
  expect(each).toEqual(Array(10).fill(1));
  // The row that was waited for passes, ten behind it, and the next is waited for.
  expect(await takenAfter(60_000)).toBe(11);
  controller.abort();
  await expect(imported).rejects.toMatchObject({ code: 'ANALYTICS_IMPORT_STOPPED' });
  expect(clock.holds).toBe(0);
});

describe('an import that stops early rejects with the report so far', () => {
  test('when its source throws, after what was accepted has ended', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const gone = new Error('the file is gone');
    function* failing(): Generator<TypedMessage> {
      yield rowOf(0);
      yield { type: 'track' } as never;
      throw gone;
    }
    await expect(analytics.import(failing())).rejects.toMatchObject({
      name: 'ImportError',
      code: 'ANALYTICS_IMPORT_STOPPED',
      message: `The import to ${collector.url}/v1/batch stopped: the file is gone; \`skip: 2\` goes on where it stopped`,
      cause: gone,
      report: { accepted: 1, delivered: 1, pending: 0, invalidRows: 1, resumeAt: 2 },
    });
    expect(collector.messages).toHaveLength(1);
  });

  test('when the client is closed', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    let isLeft = false;
    async function* closing(): AsyncGenerator<TypedMessage> {
      try {
        yield rowOf(0);
        void analytics.close();
        yield rowOf(1);
        yield rowOf(2);
      } finally {
        isLeft = true;
      }
    }
    await expect(analytics.import(closing())).rejects.toMatchObject({
      cause: { code: 'ANALYTICS_CLOSED' },
      report: { accepted: 1, delivered: 1, pending: 0, resumeAt: 1 },
    });
    expect(isLeft).toBe(true);
    await expect(analytics.close()).resolves.toMatchObject({ accepted: 1, delivered: 1 });
  });

  test('when its signal is aborted while the source gives nothing, and what was accepted is still sent', async () => {
    const collector = await sink();
    const { analytics, clock } = client({ endpoint: collector.url });
    const controller = new AbortController();
    let returns = 0;
    const silent: AsyncIterator<TypedMessage> = {
      next: () => (analytics.pending.messages === 0 ? Promise.resolve({ value: rowOf(0) }) : new Promise(() => {})),
      return: () => {
        returns++;
        return new Promise(() => {});
      },
    };
    const source = { [Symbol.asyncIterator]: () => silent };
    const imported = analytics.import(source, { signal: controller.signal });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('enough'));
    await expect(imported).rejects.toMatchObject({
      cause: { message: 'enough' },
      report: { accepted: 1, delivered: 0, pending: 1, resumeAt: 0 },
    });
    expect({ returns, holds: clock.holds }).toEqual({ returns: 1, holds: 0 });
    await analytics.flush();
    expect(collector.messages).toHaveLength(1);
  });

  test('when its signal is aborted during an outage, without holding the process any longer', async () => {
    const collector = await sink(...Array<Answer>(50).fill(503));
    const { analytics, clock } = client({ endpoint: collector.url, maxQueueBytes: 66_000 });
    const controller = new AbortController();
    let isLeft = false;
    function* watched(): Generator<TypedMessage> {
      try {
        yield* rows(5_000);
      } finally {
        isLeft = true;
      }
    }
    const failed = next(analytics, 'retry');
    const imported = analytics.import(watched(), { signal: controller.signal });
    await failed;
    controller.abort();
    const { report } = await imported.then(
      () => Promise.reject(new Error('it did not stop')),
      (error: ImportError) => error,
    );
    expect(report.pending).toBe(report.accepted);
    expect(report.resumeAt).toBe(0);
    expect({ isLeft, holds: clock.holds }).toEqual({ isLeft: true, holds: 0 });
  });

  test('when its signal was aborted before, and its source is not touched', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    const untouched = {
      [Symbol.iterator](): Iterator<TypedMessage> {
        throw new Error('touched');
      },
    };
    await expect(analytics.import(untouched, { signal: AbortSignal.abort('late') })).rejects.toMatchObject({
      cause: 'late',
      report: { accepted: 0, resumeAt: 0 },
    });
  });

  test('when the collector takes nothing from this client, and no row counts as done', async () => {
    const collector = await sink(...Array<Answer>(50).fill(401));
    const { analytics } = client({ endpoint: collector.url });
    await expect(analytics.import(rows(20_000))).rejects.toMatchObject({
      message: expect.stringContaining('status 401'),
      cause: { code: 'ANALYTICS_REJECTED', status: 401 },
      report: { delivered: 0, resumeAt: 0 },
    });
  });

  test('with a reason that cannot be read', async () => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    function* failing(): Generator<TypedMessage> {
      yield rowOf(0);
      throw Object.create(null);
    }
    await expect(analytics.import(failing())).rejects.toMatchObject({ report: { delivered: 1 } });
  });
});

test('resumeAt passes a message that was refused for what it says', async () => {
  const refuseTwo: Answer = ({ batch }) =>
    Response.json({ rejected: batch.flatMap(({ messageId }, index) => (messageId === 'm2' ? [{ index }] : [])) });
  const collector = await sink(refuseTwo);
  const { analytics } = client({ endpoint: collector.url });
  await expect(analytics.import(rows(5))).resolves.toMatchObject({ delivered: 4, lost: 1, resumeAt: 5 });
});

describe('what is no import is refused at once', () => {
  test.each<[unknown, object, string]>([
    [
      'rows.ndjson',
      {},
      'Expected `source` to be an iterable or an async iterable of messages, got string "rows.ndjson"',
    ],
    [undefined, {}, 'Expected `source` to be an iterable or an async iterable of messages, got undefined'],
    [[], { rate: 0 }, 'Expected `rate` to be a number from 0.001 up, got number 0'],
    [[], { skip: -1 }, 'Expected `skip` to be an integer from 0 up, got number -1'],
    [[], { signal: new AbortController() }, 'Expected `signal` to be an AbortSignal, got a AbortController'],
    [[], { onInvalid: 'log' }, 'Expected `onInvalid` to be a function, got string "log"'],
    [
      [],
      { allownow: true },
      'Expected `allownow` to be one of rate, signal, skip, onProgress, onInvalid, allowNow, got a name that is none; did you mean allowNow?',
    ],
  ])('%#', async (source, options, message) => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    await expect(analytics.import(source as never, options)).rejects.toThrow(message);
  });
});
