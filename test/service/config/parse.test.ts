import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/service/config/config-errors.js';
import { parseConfig } from '../../../src/service/config/parse.js';
import { COMPLETE } from './complete.js';
import { mistakesWith, readValue } from './written.js';

const MINIMAL = { sources: [{ name: 'shop', writeKeys: ['k1'] }] };

const crm = (fields: object = {}) => ({
  name: 'crm',
  type: 'Webhooks',
  webhooks: [{ url: 'https://example.com/' }],
  ...fields,
});

async function mistakesOf(given: unknown): Promise<string[]> {
  const error: unknown = await parseConfig(given).catch((reason: unknown) => reason);
  if (!(error instanceof ConfigError)) throw error;
  return error.problems.map(({ path, expected, received }) => `${path}: ${expected}, got ${received}`);
}

test.each([
  ['the minimum', MINIMAL],
  ['every key', COMPLETE],
])('an object with %s has the same meaning as in a file', async (_, given) => {
  const inFile = readValue(given);
  const store = inFile.store.type === 'lmdb' ? { type: 'lmdb', path: `${process.cwd()}/data` } : inFile.store;
  expect(await parseConfig(given)).toEqual({ ...inFile, store });
});

test('a checked configuration is unchanged when it is checked again', async () => {
  for (const given of [MINIMAL, COMPLETE]) {
    const checked = await parseConfig(given);
    expect(await parseConfig(checked)).toStrictEqual(checked);
  }
});

test.each<[string, object]>([
  ['an unknown destination', { sources: [{ name: 'shop', writeKeys: ['k1'], destinations: ['crn'] }] }],
  ['two destinations with the same name', { destinations: [crm(), crm()] }],
  ['one write key in two sources', { sources: ['a', 'b'].map((name) => ({ name, writeKeys: ['k1'] })) }],
  ['a token of one character', { admin: { token: 'x' } }],
  ['an unknown key', { destinations: [crm({ webhook: [] })] }],
  ['a setting that the destination refuses', { destinations: [crm({ webhooks: [{ url: 'http://127.0.0.1/' }] })] }],
])('an object with %s is refused in the same way as a file', async (_, part) => {
  const mistakes = await mistakesOf({ ...MINIMAL, ...part });
  expect(mistakes).toEqual(mistakesWith(part));
  expect(mistakes).toHaveLength(1);
});

test.each([undefined, null, 'eventferry.yaml', [], new Map()])('%s is refused as a configuration', async (given) => {
  expect(await mistakesOf(given)).toHaveLength(1);
});

test('an object accepts a tracking plan, fills in onUnknownEvent, and refuses the path of a plan', async () => {
  const withPlan = (trackingPlan: object) => ({ sources: [{ name: 'shop', writeKeys: ['k1'], trackingPlan }] });
  const { sources } = await parseConfig(withPlan({ plan: { events: {} }, onViolation: 'block' }));
  expect(sources[0]?.trackingPlan).toMatchObject({ onViolation: 'block', onUnknownEvent: 'block' });
  expect(await mistakesOf(withPlan({ file: '/etc/hostname' }))).toEqual([
    'sources[0].trackingPlan.file: the plan itself as `plan`, as only a configuration file names files, got a path',
  ]);
  expect(await mistakesOf(withPlan({ plan: { events: { A: 3 } } }))).toHaveLength(1);
});

test('a text in an object is never replaced from the environment or a file', async () => {
  const headers = { 'x-a': '${PATH}', 'x-b': '${file:/etc/hostname}', 'x-c': '$${PATH}' };
  const { destinations } = await parseConfig({
    ...MINIMAL,
    destinations: [crm({ webhooks: [{ url: 'https://example.com/', headers }] })],
  });
  expect(destinations[0]?.webhooks[0]?.headers).toEqual(headers);
});

test('no error about an object shows a secret in it', async () => {
  const error = await parseConfig({ ...COMPLETE, admin: { token: 'hunter2' }, listen: 3 }).catch(String);
  expect(error).toContain('2 mistakes');
  expect(error).not.toContain('hunter2');
});
