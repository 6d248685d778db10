import { expect, test } from 'vitest';
import { send } from '../../collector/support.js';
import { FakeClock } from '../../support/fake-clock.js';
import { observerWith, SEES_NOTHING } from '../observing.js';
import { recordingLog } from '../recording-log.js';
import { configOf, sendBatch, serving, track } from '../support.js';

test('the collector of a service reports messages before and after they are stored', async () => {
  const seen: string[] = [];
  const observer = observerWith({
    coming: (messages) => void seen.push(`coming ${messages.length}`),
    collected: {
      ...SEES_NOTHING,
      onMessages: (messages, { name }) => void seen.push(`stored ${messages.length} of ${name}`),
      onRejected: (rejected) => void seen.push(`rejected ${rejected.length}`),
      onAnswered: ({ status }) => void seen.push(`answered ${status}`),
    },
  });
  const { url } = await serving(configOf(), { observer });
  await sendBatch(url, track('m1'), track('m2'));
  expect(seen.splice(0)).toEqual(['coming 2', 'stored 2 of website', 'answered 200']);
  await sendBatch(url, { type: 'track' });
  await expect.poll(() => seen.toSorted()).toEqual(['answered 400', 'rejected 1']);
});

test('a repeated message is answered as if it were new, counted as a duplicate, and reported once', async () => {
  const seen: unknown[] = [];
  const observer = observerWith({
    collected: {
      ...SEES_NOTHING,
      onMessages: (messages) => void seen.push(messages.map(({ messageId }) => messageId)),
      onAnswered: ({ accepted, duplicates }) => void seen.push({ accepted, duplicates }),
    },
  });
  const { url } = await serving(configOf(), { observer });
  await sendBatch(url, track('m1'), track('m2'));
  const { status, text } = await sendBatch(url, track('m2'), track('m3'), track('m3'));
  expect({ status, text }).toEqual({ status: 200, text: '{"success":true}' });
  await sendBatch(url, track('m1'));
  expect(seen).toEqual([
    ['m1', 'm2'],
    { accepted: 2, duplicates: 0 },
    ['m3'],
    { accepted: 1, duplicates: 2 },
    { accepted: 0, duplicates: 1 },
  ]);
});

test('a rejected message counts in the last hour and the metrics, whether it came alone or in a batch', async () => {
  const { url, ask } = await serving(configOf(), { clock: new FakeClock() });
  await sendBatch(url, { type: 'track' }, track('m1'));
  await send(url, '/v1/track', { body: JSON.stringify({ userId: 'u1' }) });
  await expect
    .poll(async () => (await ask('/metrics')).body)
    .toContain('eventferry_collector_messages_total{outcome="rejected"} 2\n');
  expect((await ask('/v1/sources')).body.lastHour).toMatchObject({ received: 1, rejected: 2 });
});

test('an observer that throws does not change the answer, and is logged', async () => {
  const fail = (): never => {
    throw new Error('the observer failed');
  };
  const observer = observerWith({
    coming: fail,
    collected: { ...SEES_NOTHING, onMessages: fail },
  });
  const log = recordingLog();
  const { url } = await serving(configOf(), { observer, log });
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  expect(JSON.stringify(log.lines)).toContain('the observer failed');
});
