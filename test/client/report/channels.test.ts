import { channel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { nodePlatform } from '../../../src/client/platform.js';
import type { DiagnosticsMessages } from '../../../src/client/report/channels.js';
import { defineEvents } from '../../../src/events/index.js';
import { Analytics, type AnalyticsOptions, type Transport } from '../../../src/index.js';
import { client, track } from '../../support/client.js';
import { settled } from '../../support/fake-clock.js';

type Name = keyof DiagnosticsMessages;
type Published = { [N in Name]: { readonly name: N; readonly told: DiagnosticsMessages[N] } }[Name];

const NAMES = [
  'eventferry:message:accepted',
  'eventferry:message:delivered',
  'eventferry:message:lost',
  'eventferry:message:violated',
  'eventferry:batch:flushed',
  'eventferry:batch:retried',
  'eventferry:batch:ended',
  'eventferry:request:started',
  'eventferry:journal:changed',
] as const satisfies readonly Name[];

/** The messages that clients publish on these channels, in order, until the test ends. */
function published(...names: readonly Name[]): Published[] {
  const all: Published[] = [];
  for (const name of names.length === 0 ? NAMES : names) {
    const note = (told: unknown): void => void all.push({ name, told } as Published);
    const found = channel(name);
    found.subscribe(note);
    onTestFinished(() => void found.unsubscribe(note));
  }
  return all;
}

/** A transport that responds with these statuses in order, and then with 200. */
const answering = (...statuses: number[]): Transport => {
  return async () => ({ status: statuses.shift() ?? 200, body: '' });
};

const endpoint = 'http://127.0.0.1:4100';

/** A client with listeners for failures, so that none is printed. */
function listening(transport: Transport, options: Partial<AnalyticsOptions> = {}) {
  const opened = client({ endpoint, transport, ...options });
  opened.analytics.on('retry', () => {});
  return opened;
}

test('a message is published as accepted inside its call, in the form that is sent', () => {
  const all = published('eventferry:message:accepted');
  const { analytics } = listening(answering());
  const { messageId } = analytics.track(track());
  expect(all).toMatchObject([{ told: { message: { messageId, type: 'track' } } }]);
  const [accepted] = all;
  expect(accepted?.told.client).toBe(analytics);
  expect(accepted?.name === 'eventferry:message:accepted' && JSON.parse(accepted.told.json)).toMatchObject(track());
});

test('a batch is published from its messages to their end under one id', async () => {
  const all = published();
  const { analytics, clock } = listening(answering(503));
  for (let i = 0; i < 2; i++) analytics.track(track());
  void analytics.flush();
  await settled();
  await clock.pass(30_000);
  expect(all.map(({ name }) => name)).toEqual([
    'eventferry:message:accepted',
    'eventferry:message:accepted',
    'eventferry:batch:flushed',
    'eventferry:request:started',
    'eventferry:batch:retried',
    'eventferry:request:started',
    'eventferry:message:delivered',
    'eventferry:message:delivered',
    'eventferry:batch:ended',
  ]);
  const ids = all.flatMap(({ told }) => ('batch' in told ? [told.batch] : []));
  expect(new Set(ids).size).toBe(1);
  expect(all.find(({ name }) => name === 'eventferry:batch:retried')?.told).toMatchObject({
    messages: 2,
    attempt: 1,
    error: { code: 'EVENTFERRY_ANSWER' },
  });
  expect(all.at(-1)?.told).toMatchObject({ delivered: 2, lost: 0, pending: 0 });
});

test('messages are published as lost when the collector refuses them and when the queue does', async () => {
  const all = published('eventferry:message:accepted', 'eventferry:message:lost', 'eventferry:batch:ended');
  const { analytics } = listening(answering(401), { maxQueueBytes: 66_000 });
  const large = { userId: 'u1', event: 'Large', properties: { text: 'x'.repeat(31_000) } };
  for (let i = 0; i < 3; i++) analytics.track(large);
  await analytics.flush();
  expect(all.map(({ name, told }) => [name, ('error' in told && told.error?.message) || ''])).toEqual([
    ['eventferry:message:accepted', ''],
    ['eventferry:message:accepted', ''],
    ['eventferry:message:lost', expect.stringContaining('The queue is full')],
    ['eventferry:message:lost', expect.stringContaining('401')],
    ['eventferry:message:lost', expect.stringContaining('401')],
    ['eventferry:batch:ended', expect.stringContaining('401')],
  ]);
});

test('a message that breaks the catalogue is published as violated', async () => {
  const all = published('eventferry:message:violated');
  const { analytics } = listening(answering(), { events: defineEvents({ 'Signed Up': {} }) });
  analytics.track(track());
  await analytics.flush();
  expect(all).toMatchObject([
    { told: { client: analytics, message: track(), error: { code: 'EVENTFERRY_UNKNOWN_EVENT' } } },
  ]);
});

test('a request is published with its address and a promise for its response', async () => {
  const all = published('eventferry:request:started');
  const { analytics } = listening(answering(204));
  analytics.track(track());
  await analytics.flush();
  const [started] = all;
  expect(started?.told).toMatchObject({ client: analytics, url: `${endpoint}/v1/batch` });
  expect(started?.name === 'eventferry:request:started' && (await started.told.answer).status).toBe(204);
});

test('nothing that is published contains the write key', async () => {
  const all = published();
  const transport: Transport = async ({ headers }) => ({ status: 401, body: JSON.stringify(headers) });
  const { analytics } = listening(transport, { writeKey: 'very-secret' });
  analytics.track(track());
  await analytics.flush();
  expect(all.length).toBeGreaterThan(3);
  const secrets = ['very-secret', Buffer.from('very-secret:').toString('base64')];
  for (const { told } of all) {
    const shown = inspect(told, { depth: 10, showHidden: true }) + JSON.stringify(told);
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
  }
});

test('a client on a platform without channels publishes nothing and still delivers', async () => {
  const all = published();
  const { clock, random, newId, openJournal } = nodePlatform;
  const options = { writeKey: 'key', endpoint, transport: answering() };
  const analytics = new Analytics(options, { clock, random, newId, openJournal });
  analytics.track(track());
  expect(await analytics.close()).toMatchObject({ delivered: 1 });
  expect(all).toEqual([]);
});
