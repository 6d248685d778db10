import { expect, test } from 'vitest';
import type { Message } from '../../../src/index.js';
import { client } from '../../support/client.js';
import { sink } from '../../support/sink.js';
import { useWarnings } from './warnings.js';

const endpoint = 'http://127.0.0.1:1';

const warnings = useWarnings();

const GONE = 'which is no id but what became of one that was not there';

test.each<[string, (ids: ReturnType<typeof client>['analytics']) => unknown, string]>([
  [
    'a user called `undefined`',
    ({ track }) => track({ userId: String(undefined), event: 'e' }),
    `track.userId: expected an id, got the text "undefined", ${GONE}`,
  ],
  [
    'an anonymous id of `NaN`',
    ({ page }) => page({ anonymousId: String(Number.NaN) }),
    `page.anonymousId: expected an id, got the text "NaN", ${GONE}`,
  ],
  [
    'a group called `[object Object]`',
    ({ group }) => group({ userId: 'u1', groupId: String({}) }),
    `group.groupId: expected an id, got the text "[object Object]", ${GONE}`,
  ],
  [
    'a previous id of blanks',
    ({ alias }) => alias({ userId: 'u1', previousId: ' \t' }),
    'alias.previousId: expected an id, got blanks alone',
  ],
])('a call with %s is an error that says so', (_, call, message) => {
  const { analytics } = client({ endpoint });
  expect(() => call(analytics)).toThrow(expect.objectContaining({ name: 'ValidationError', message }));
  expect(analytics.stats().accepted).toBe(0);
});

test('with `onInvalid: report` a call for nobody is lost, and does not throw', () => {
  const { analytics, lost } = client({ endpoint, onInvalid: 'report' });
  analytics.track({ userId: 'undefined', event: 'e' });
  expect(lost).toMatchObject([{ error: { path: 'track.userId' } }]);
});

test('a `before` function that names nobody loses the message', () => {
  const before = (message: Message): Message => ({ ...message, userId: 'undefined' });
  const { analytics, lost } = client({ endpoint, before });
  analytics.track({ userId: 'u1', event: 'e' });
  expect(lost).toMatchObject([{ error: { code: 'EVENTFERRY_HOOK_FAILED' } }]);
});

test('a row of an import that names nobody is an invalid row', async () => {
  const { url } = await sink();
  const { analytics } = client({ endpoint: url });
  const rows = ['u1', 'undefined'].map((userId) => ({
    ...{ type: 'track' as const, event: 'e', timestamp: '2026-11-20T12:00:00.000Z' },
    ...{ userId, messageId: userId },
  }));
  expect(await analytics.import(rows)).toMatchObject({ delivered: 1, invalidRows: 1 });
});

test.each(['userId', 'anonymousId'])('a child or a run whose `%s` is nobody is refused', (name) => {
  const { analytics } = client({ endpoint });
  const message = `Expected \`${name}\` to be an id, got the text "undefined", ${GONE}`;
  const refused = expect.objectContaining({ name: 'OptionError', message });
  expect(() => analytics.child({ [name]: 'undefined' })).toThrow(refused);
  expect(() => analytics.run({ [name]: 'undefined' }, () => {})).toThrow(refused);
});

test('an id of the text `null` is a warning of the process, once, as it may be a name', () => {
  const { analytics } = client({ endpoint });
  for (let index = 0; index < 2; index++) analytics.track({ userId: 'null', event: 'e' });
  expect(analytics.stats().accepted).toBe(2);
  expect(warnings).toEqual([
    'EVENTFERRY_NULL_ID eventferry: track.userId is the text "null", which may be what became of a value that was not there; this is told once',
  ]);
});
