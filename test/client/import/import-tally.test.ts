import { expect, test } from 'vitest';
import { RejectedError, ValidationError } from '../../../src/base/errors/errors.js';
import { ImportTally } from '../../../src/client/import/import-tally.js';
import { QueuedReceipt, Results, UnqueuedReceipt } from '../../../src/client/queue/receipt.js';
import type { TypedMessage } from '../../../src/index.js';
import { client } from '../../support/client.js';
import { type Answer, sink, status } from '../../support/sink.js';
import { rowOf, rows } from './rows.js';

const wrong = (index: number) => ({ ...rowOf(index), event: '' });

test('invalid rows after the first thousand are counted, and their errors are not kept', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const large = { ...rowOf(0), event: 'x'.repeat(32_000) };
  const report = await analytics.import([...Array.from({ length: 1_200 }, (_, index) => wrong(index)), large]);
  expect(report.invalid).toHaveLength(1_000);
  expect(report).toMatchObject({
    invalidRows: 1_201,
    resumeAt: 1_201,
  });
});

test('for each invalid row of an import, the client emits lost with the error', async () => {
  const collector = await sink();
  const { analytics, lost } = client({ endpoint: collector.url });
  await analytics.import([rowOf(0), wrong(1), rowOf(2), wrong(3)]);
  expect(lost.map(({ error }) => error.code)).toEqual(Array(2).fill('EVENTFERRY_INVALID_MESSAGE'));
});

test('an import of only invalid rows lets the event loop run, so that it can be stopped', async () => {
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

test('an import counts only its own delivered and lost messages', async () => {
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

test('skip leaves out the rows that an earlier import finished', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const report = await analytics.import([...rows(5), null as never], { skip: 3 });
  expect(report).toMatchObject({ skipped: 3, delivered: 2, resumeAt: 6, invalid: [{ index: 5 }] });
  expect(collector.messages.map(({ messageId }) => messageId)).toEqual(['m3', 'm4']);
});

test('resumeAt does not fall below skip while the skipped rows are read again', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const told: number[] = [];
  await analytics.import(rows(2_500), { skip: 2_200, onProgress: ({ resumeAt }) => told.push(resumeAt) });
  expect(told).toEqual([2_200, 2_200, 2_500]);
});

test('ended rows are reported in the order of the source, up to the first one that should be sent again', () => {
  const invalid = new ValidationError('event', 'a text', 'nothing');
  const refused = new RejectedError(400, 'no such event');
  const outage = new RejectedError(503, '');
  const ended: [number, string | undefined][] = [];
  const tally = new ImportTally<number>(0, (row, error) => ended.push([row, error?.message]));
  const results = new Results();
  const take = (index: number) => () => new QueuedReceipt(`m${index}`, results, index);
  tally.note(0, take(0));
  tally.note(1, () => {
    throw invalid;
  });
  tally.note(2, () => new UnqueuedReceipt('filtered'));
  tally.note(3, take(1));
  tally.note(4, take(2));
  tally.settle();
  expect(ended).toEqual([]);
  results.endUpTo(1);
  tally.settle();
  expect(ended).toEqual([
    [0, undefined],
    [1, invalid.message],
    [2, undefined],
  ]);
  results.endUpTo(2, () => refused);
  results.endUpTo(3, () => outage);
  tally.settle();
  expect(ended.slice(3)).toEqual([[3, refused.message]]);
  expect(tally.report()).toMatchObject({ delivered: 1, lost: 2, invalidRows: 1, resumeAt: 4 });
});
