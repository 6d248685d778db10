import { expect, test } from 'vitest';
import type { ImportError, TypedMessage } from '../../../src/index.js';
import { client, next } from '../../support/client.js';
import { type Answer, sink, status } from '../../support/sink.js';
import { rowOf, rows } from './rows.js';

test('an import whose source throws rejects with the report so far, after all accepted messages have ended', async () => {
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
    code: 'EVENTFERRY_IMPORT_STOPPED',
    message: `The import to ${collector.url}/v1/batch stopped: the file is gone; \`skip: 2\` continues where it stopped`,
    cause: gone,
    report: { accepted: 1, delivered: 1, pending: 0, invalidRows: 1, resumeAt: 2 },
  });
  expect(collector.messages).toHaveLength(1);
});

test('an import whose client is closed rejects with the report so far', async () => {
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
    cause: { code: 'EVENTFERRY_CLOSED' },
    report: { accepted: 1, delivered: 1, pending: 0, resumeAt: 1 },
  });
  expect(isLeft).toBe(true);
  await expect(analytics.close()).resolves.toMatchObject({ accepted: 1, delivered: 1 });
});

test('an import that is aborted while its source is silent rejects, and its accepted messages are still sent', async () => {
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

test('an import that is aborted during an outage rejects with the report so far and lets the process end', async () => {
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

test('an import whose signal is already aborted rejects with an empty report and does not read its source', async () => {
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

test('an import whose collector refuses the write key rejects with a report in which no row counts as done', async () => {
  const collector = await sink(...Array<Answer>(50).fill(401));
  const { analytics } = client({ endpoint: collector.url });
  await expect(analytics.import(rows(20_000))).rejects.toMatchObject({
    message: expect.stringContaining('status 401'),
    cause: { code: 'EVENTFERRY_REJECTED', status: 401 },
    report: { delivered: 0, resumeAt: 0 },
  });
});

test('an import whose collector refuses everything rejects at once, and accepted messages wait as in an outage', async () => {
  const said = 'The plain HTTP request was sent to HTTPS port';
  const collector = await sink(...Array<Answer>(200).fill(() => status(400, {}, said)));
  const { analytics, lost } = client({ endpoint: collector.url });
  const { report, cause } = await analytics.import(rows(20_000)).then(
    () => Promise.reject(new Error('it did not stop')),
    (error: ImportError) => error,
  );
  expect(cause).toMatchObject({ code: 'EVENTFERRY_REFUSES_ALL', status: 400, answer: said });
  expect(report).toMatchObject({ delivered: 0, lost: 0, pending: report.accepted, resumeAt: 0 });
  expect(lost).toEqual([]);
});

test('an import whose collector refuses everything also rejects while its source is silent', async () => {
  const collector = await sink(...Array<Answer>(200).fill(400));
  const { analytics } = client({ endpoint: collector.url });
  async function* stuck(): AsyncGenerator<TypedMessage> {
    yield* [...rows(50)];
    await new Promise(() => {});
  }
  await expect(analytics.import(stuck())).rejects.toMatchObject({ cause: { code: 'EVENTFERRY_REFUSES_ALL' } });
});

test('an import whose source throws a value that cannot be described rejects with the report so far', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  function* failing(): Generator<TypedMessage> {
    yield rowOf(0);
    throw Object.create(null);
  }
  await expect(analytics.import(failing())).rejects.toMatchObject({ report: { delivered: 1 } });
});

test('resumeAt moves past a message that was refused for its content', async () => {
  const refuseTwo: Answer = ({ batch }) =>
    Response.json({ rejected: batch.flatMap(({ messageId }, index) => (messageId === 'm2' ? [{ index }] : [])) });
  const collector = await sink(refuseTwo);
  const { analytics } = client({ endpoint: collector.url });
  await expect(analytics.import(rows(5))).resolves.toMatchObject({ delivered: 4, lost: 1, resumeAt: 5 });
});
