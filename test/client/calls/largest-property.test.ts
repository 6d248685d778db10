import { expect, test } from 'vitest';
import { largestIn } from '../../../src/client/calls/largest-property.js';

test('largestProperty names the property of a message that takes the most room', () => {
  const message = { type: 'track', properties: { a: 1, 'long text': 'x'.repeat(98) }, context: { page: { url: 'u' } } };
  expect(largestIn('track', JSON.stringify(message))).toBe('track.properties["long text"] (100 characters)');
});

test('largestProperty names a key of the context where that is the largest', () => {
  const json = JSON.stringify({ traits: { a: 1 }, context: { page: { url: 'x'.repeat(50) } } });
  expect(largestIn('identify', json)).toBe('identify.context.page (60 characters)');
});

test('largestProperty names no property of a message that has none', () => {
  expect(largestIn('alias', '{"userId":"u"}')).toBeUndefined();
  expect(largestIn('track', '{"properties":{}}')).toBeUndefined();
});
