import { expect, test } from 'vitest';
import { largestIn } from '../../../src/client/calls/largest-property.js';

test('largestIn names the largest property of a message', () => {
  const message = { type: 'track', properties: { a: 1, 'long text': 'x'.repeat(98) }, context: { page: { url: 'u' } } };
  expect(largestIn('track', JSON.stringify(message))).toBe('track.properties["long text"] (100 characters)');
});

test('largestIn names a key of the context if that is the largest', () => {
  const json = JSON.stringify({ traits: { a: 1 }, context: { page: { url: 'x'.repeat(50) } } });
  expect(largestIn('identify', json)).toBe('identify.context.page (60 characters)');
});

test('largestIn names nothing for a message without properties', () => {
  expect(largestIn('alias', '{"userId":"u"}')).toBeUndefined();
  expect(largestIn('track', '{"properties":{}}')).toBeUndefined();
});
