import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { freshFolder } from './fresh-folder.js';

/** Every optional field of every call, `null` or empty, as JavaScript apps often pass them instead of `undefined`. */
const CALLS = `
const nothing = { messageId: null, timestamp: null, context: null, integrations: null };
export function callWithNulls(analytics) {
  analytics.identify({ ...nothing, userId: 'u1', anonymousId: null, traits: null });
  analytics.track({ ...nothing, userId: '', anonymousId: 'a1', messageId: '', event: 'Order Completed', properties: null });
  analytics.page({ ...nothing, userId: 'u1', anonymousId: '', category: null, name: null, properties: null, traits: null });
  analytics.page({ userId: 'u1', properties: { url: null, title: null, referrer: null, path: null } });
  analytics.screen({ ...nothing, userId: null, anonymousId: 'a1', category: null, name: null, properties: null });
  analytics.group({ ...nothing, userId: null, anonymousId: 'a1', groupId: 'g1', traits: null });
  analytics.alias({ ...nothing, userId: 'u1', anonymousId: null, previousId: 'a1' });
  analytics.track({ userId: 'u1', event: 'Paid', context: { ip: null, app: null, integrations: null }, integrations: { All: null, Webhooks: null } });
  analytics.child({ userId: 'u2', anonymousId: '', context: null, integrations: null }).track({ userId: null, event: 'Paid' });
}
`;

const TYPES = ['identify', 'track', 'page', 'page', 'screen', 'group', 'alias', 'track', 'track'];

test('plain JavaScript may pass null and empty ids in every optional place, and none of them is sent', async () => {
  const { url, requests, messages } = await sink();
  const folder = await freshFolder({
    'calls.mjs': CALLS,
    'app.mjs': `
      import { Analytics } from 'eventferry';
      import { callWithNulls } from './calls.mjs';
      const analytics = new Analytics({ writeKey: 'dev', endpoint: process.env.ENDPOINT, context: null, integrations: null });
      callWithNulls(analytics);
      for (const ids of [{}, { userId: null }, { userId: '', anonymousId: null }]) {
        try {
          analytics.track({ ...ids, event: 'Order Completed' });
        } catch (error) {
          console.log(error.message);
        }
      }
      const { delivered, lost } = await analytics.close();
      console.log(delivered, lost);
    `,
  });
  const { code, stdout, stderr } = await folder.node(['app.mjs'], { ENDPOINT: url }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const expected = 'track.userId: expected a non-empty string, or an anonymousId, got';
  expect(stdout.trim().split('\n')).toEqual([
    `${expected} neither`,
    `${expected} userId null and anonymousId undefined`,
    `${expected} userId string "" and anonymousId null`,
    '9 0',
  ]);
  expect(messages.map(({ type }) => type)).toEqual(TYPES);
  expect(JSON.stringify(requests)).not.toMatch(/"(userId|anonymousId|messageId|timestamp)":(null|"")/);
});

test('our own collector accepts messages of plain JavaScript with null and empty ids', async () => {
  const folder = await freshFolder({
    'calls.mjs': CALLS,
    'app.mjs': `
      import { createServer } from 'node:http';
      import { Analytics } from 'eventferry';
      import { Collector } from 'eventferry/collector';
      import { callWithNulls } from './calls.mjs';
      const types = [];
      const collector = new Collector({
        sources: [{ name: 'app', writeKey: 'dev' }],
        onMessages: (messages) => void types.push(...messages.map(({ type }) => type)),
      });
      const { url } = await collector.listen({ port: 0 });
      const analytics = new Analytics({ writeKey: 'dev', endpoint: url });
      analytics.on('lost', ({ error }) => console.log(error.message));
      callWithNulls(analytics);
      await analytics.close();
      await collector.close();
      console.log(types.join(' '));
    `,
  });
  const { code, stdout, stderr } = await folder.node(['app.mjs']).ended;
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${TYPES.join(' ')}\n`, stderr: '' });
});
