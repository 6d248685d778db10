import { beforeAll, expect, test } from 'vitest';
import type { Message } from '../../src/index.js';
import { captureAnalytics } from '../../src/testing/capture-analytics.js';
import { type ExpectedMessage, judge, type TimesOptions } from '../../src/testing/verdict.js';

let messages: readonly Message[];

beforeAll(() => {
  using captured = captureAnalytics();
  captured.analytics.identify({ userId: 'u1', traits: { plan: 'pro' } });
  captured.analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 41 } });
  captured.analytics.page({ userId: 'u1', name: 'Pricing' });
  messages = [...captured.events];
});

test.each<[ExpectedMessage, TimesOptions, boolean]>([
  ['Order Completed', {}, true],
  ['Pricing', {}, true],
  ['identify', {}, true],
  ['Order', {}, false],
  [{ type: 'track' }, {}, true],
  [{ userId: 'u1' }, { times: 3 }, true],
  [{ userId: 'u1' }, { times: 2 }, false],
  ['Order Completed', { times: 0 }, false],
  [(message) => message.type === 'page', {}, true],
])('judge of %o with %o is %o', (expected, options, pass) => {
  expect(judge(messages, expected, options).pass).toBe(pass);
});

test('the text of a failure names the differences of the closest message, and lists the others', () => {
  const expected = { event: 'Order Completed', properties: { total: 42, at: expect.any(String) } };
  expect(judge(messages, expected).text).toBe(
    [
      'Expected a message that matches {"event":"Order Completed","properties":{"total":42,"at":"Any<String>"}}, got 0 of 3',
      '',
      'The nearest is message 2, track "Order Completed":',
      '  properties.total: expected 42, got 41',
      '  properties.at: expected "Any<String>", got nothing',
      '',
      '    1. identify {"userId":"u1","traits":{"plan":"pro"}}',
      '    2. track "Order Completed" {"userId":"u1","properties":{"total":41}}',
      '    3. page "Pricing" {"userId":"u1"}',
    ].join('\n'),
  );
});

test('the text for a wrong count marks the messages that match', () => {
  const { text } = judge(messages, { userId: 'u1', type: /track|page/ }, { times: 1 });
  expect(text).toMatch(/^Expected 1 message that matches .*, got 2 of 3\n/);
  expect(text.match(/✓ \d/g)).toEqual(['✓ 2', '✓ 3']);
});

test('the text says so if no message was sent', () => {
  expect(judge([], 'Order Completed').text).toBe(
    'Expected a message that matches "Order Completed", and no message was sent',
  );
});

test('the text lists twenty messages, and counts the others', () => {
  const many = Array.from({ length: 23 }, () => messages[0]).filter((message) => message !== undefined);
  expect(judge(many, 'Order Completed').text).toMatch(/\n {4}20\. .*\n {2}… and 3 more$/);
});

test('control characters of a message do not reach the terminal', () => {
  using captured = captureAnalytics();
  captured.analytics.track({ userId: 'u1', event: '\u001b[31mred\u202e' });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it must not be there
  expect(judge(captured.events, 'Other').text).not.toMatch(/[\u001b\u202e]/);
});
