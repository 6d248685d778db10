import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FILE, settingsTypes } from '../../../.ci/destination-settings.js';
import { object } from '../../../src/base/options/schema-fields.js';
import { settingFields, settingRules } from '../../../src/destination/settings/destination-schema.js';

const schema = object(settingFields).check(settingRules);
const url = 'https://example.com/hook';

/** Returns the mistakes in these settings: their paths and what was expected. */
const faultsIn = (given: object): string[] =>
  schema.safeParse(given).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

test('the committed types of the settings match their schema', () => {
  expect(readFileSync(FILE, 'utf8'), 'run `npx tsx .ci/destination-settings.ts`').toBe(settingsTypes());
});

test('every mistake is found in one check, whatever else is wrong', () => {
  const given = {
    sharedSecret: '',
    sign: ['standard'],
    settle: 'all',
    retryFor: -1,
    maxBacklog: { events: 0 },
    maxDeadLetters: { age: 1.5 },
    allowCidrs: ['10.1.2.3/8', 5],
    keepAnswer: true,
    webhooks: [
      { url, secret: 'whpk_AAAA' },
      { url: `${url}#2`, id: 'a/b', headers: { Host: 'a' }, requestTimeout: 0 },
      { url: 'ftp://example.com/', secert: 'x' },
      { url: 'https://ada:pw@example.com/', headers: 'x' },
    ],
  };
  expect(faultsIn(given).toSorted()).toEqual([
    ': an object',
    'allowCidrs.0: a network such as 10.20.0.0/16, all bits after its length 0',
    'allowCidrs.1: a network such as 10.20.0.0/16, all bits after its length 0',
    'maxBacklog.events: an integer from 1 up',
    'maxDeadLetters.age: an integer from 1 up',
    'retryFor: an integer from 0 to 86400000',
    "settle: one of 'any', 'each'",
    'sharedSecret: a non-empty string',
    'webhooks.0.secret: a non-empty string',
    'webhooks.1.headers.Host: a header of your own',
    'webhooks.1.id: 1 to 100 letters, digits, `.`, `_` and `-`',
    'webhooks.1.requestTimeout: an integer from 1 to 60000',
    'webhooks.1.url: a URL of its own',
    'webhooks.2.url: an absolute URL of http or https',
    'webhooks.2: an object',
    'webhooks.3.headers: an object of names and values',
    'webhooks.3.url: a URL without credentials, which belong in a header',
  ]);
});

test('the check does not report URLs that an invalid network was meant to allow', () => {
  const given = { allowCidrs: ['10.1.2.3/8'], webhooks: [{ url: 'http://10.1.2.3/' }, { url: 'http://[fd00::1]/' }] };
  expect(faultsIn(given)).toEqual([expect.stringMatching(/^allowCidrs\.0: /)]);
});

test.each([
  ['a webhook without one is reported', { webhooks: [{ url }], sign: ['standard'] }, ['webhooks.0.secret']],
  [
    'one that the scheme cannot use is reported',
    { webhooks: [{ url }], sign: ['standard'], sharedSecret: 'short' },
    ['sharedSecret'],
  ],
  ['none is needed without `sign`', { webhooks: [{ url }] }, []],
  ['the shared one is enough for a webhook', { webhooks: [{ url }], sign: ['x-signature'], sharedSecret: 'short' }, []],
])('the check of secrets: %s', (_, given, places) => {
  expect(schema.safeParse(given).error?.issues.map(({ path }) => path.join('.')) ?? []).toEqual(places);
});

test('every setting except the webhooks has a default or may be omitted', () => {
  expect(schema.parse({ webhooks: [{ url }] })).toEqual({
    enabled: true,
    webhooks: [{ url }],
    settle: 'any',
    retryFor: 14_400_000,
    requestTimeout: 5_000,
    concurrency: 64,
    maxDeadLetters: { events: 1_000_000, bytes: 10_000_000_000, age: 2_592_000_000 },
    keepAnswers: true,
    allowCidrs: [],
    allowLoopback: false,
  });
});
