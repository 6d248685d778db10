import { expect, test } from 'vitest';
import { meantBy } from '../../../src/client/calls/misspelt.js';
import type { MessageTypeName } from '../../../src/protocol/calls.js';
import { messageTypes } from '../../../src/protocol/message-checks.js';
import { client } from '../../support/client.js';
import { sink } from '../../support/sink.js';
import { useWarnings } from './warnings.js';

test.each<[MessageTypeName, string, string]>([
  ['track', 'propertys', 'properties'],
  ['track', 'props', 'properties'],
  ['track', 'traits', 'properties'],
  ['track', 'name', 'event'],
  ['track', 'eventName', 'event'],
  ['track', 'user_id', 'userId'],
  ['track', 'userID', 'userId'],
  ['track', 'distinctId', 'userId'],
  ['track', 'distinct_id', 'userId'],
  ['track', 'anonymous_id', 'anonymousId'],
  ['track', 'timestmap', 'timestamp'],
  ['identify', 'properties', 'traits'],
  ['identify', 'propertys', 'traits'],
  ['group', 'properties', 'traits'],
  ['group', 'group_id', 'groupId'],
  ['screen', 'traits', 'properties'],
  ['alias', 'previous_id', 'previousId'],
])('in a call of %s, the field %s is recognised as a misspelt %s', (type, name, meant) => {
  expect(meantBy(messageTypes[type], name)).toBe(meant);
});

test.each<[MessageTypeName, string]>([
  ['track', 'channel'],
  ['track', 'version'],
  ['track', 'originalTimestamp'],
  ['track', 'sentAt'],
  ['track', 'receivedAt'],
  ['track', 'category'],
  ['alias', 'traits'],
  ['alias', 'properties'],
  ['page', 'title'],
])('in a call of %s, the unknown field %s is not taken for another one', (type, name) => {
  expect(meantBy(messageTypes[type], name)).toBeUndefined();
});

const warnings = useWarnings();

test('a misspelt field is sent unchanged and causes a process warning, once for each name', async () => {
  const { url, messages } = await sink();
  const { analytics } = client({ endpoint: url });
  for (let index = 0; index < 2; index++) {
    analytics.track({ userId: 'u1', event: 'e', propertys: { total: 1 }, channel: 'server' } as never);
  }
  analytics.identify({ userId: 'u1', properties: { plan: 'pro' } } as never);
  await analytics.flush();
  expect(messages[0]).toMatchObject({ propertys: { total: 1 }, channel: 'server' });
  const told = 'may be meant; this is told once';
  expect(warnings).toEqual([
    `EVENTFERRY_UNKNOWN_FIELD eventferry: track.propertys is no field of a track and is sent unchanged: \`properties\` ${told}`,
    `EVENTFERRY_UNKNOWN_FIELD eventferry: identify.properties is no field of an identify and is sent unchanged: \`traits\` ${told}`,
  ]);
});

test('if a call is refused because an id is missing, a warning names the field that may be the id', () => {
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
  expect(() => analytics.track({ user_id: 'u1', event: 'e' } as never)).toThrow('track.userId');
  expect(warnings).toMatchObject([expect.stringContaining('`userId` may be meant')]);
});

test('at most a hundred different unknown names are checked', () => {
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
  const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`custom${index}`, index]));
  analytics.track({ userId: 'u1', event: 'e', ...unknown } as never);
  analytics.track({ userId: 'u1', event: 'e', propertys: {} } as never);
  expect(warnings).toEqual([]);
});
