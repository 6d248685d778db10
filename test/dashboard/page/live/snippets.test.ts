import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asCode, asCurl } from '../../../../src/dashboard/page/live/snippets.js';
import { anyText } from '../../../support/any-text.js';

const message = { type: 'track', messageId: 'm1', timestamp: 't', receivedAt: 'r', userId: 'u1', event: "It's" };

test('the copied cURL command sends the message again as a new one', () => {
  expect(asCurl(message, 'http://127.0.0.1:4100')).toBe(
    [
      'curl http://127.0.0.1:4100/v1/track \\',
      '  -u "$EVENTFERRY_WRITE_KEY:" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d '{"userId":"u1","event":"It'\\''s"}'`,
    ].join('\n'),
  );
});

test('the copied code is the call that sends the message', () => {
  const properties = { total: 42, tags: ['a'], 'unit price': null, none: {} };
  expect(asCode({ type: 'track', userId: 'u1', event: 'Paid', properties })).toBe(
    [
      'analytics.track({',
      "  userId: 'u1',",
      "  event: 'Paid',",
      '  properties: {',
      '    total: 42,',
      '    tags: [',
      "      'a',",
      '    ],',
      "    'unit price': null,",
      '    none: {},',
      '  },',
      '});',
    ].join('\n'),
  );
});

test('the copied code evaluates to the message, whatever its texts and keys are', () => {
  fc.assert(
    fc.property(fc.jsonValue(), anyText(), (value, text) => {
      const properties = JSON.parse(JSON.stringify({ value, text, ['__proto__']: 1 }));
      let given: unknown;
      const analytics = { track: (fields: unknown) => (given = fields) };
      new Function('analytics', asCode({ type: 'track', properties }))(analytics);
      expect(JSON.stringify(given)).toBe(JSON.stringify({ properties }));
    }),
  );
});
