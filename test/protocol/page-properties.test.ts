import { expect, test } from 'vitest';
import { NOBODY, sent, stamped, testCall } from './calling.js';

testCall('page', {
  full: { category: 'Docs', name: 'Pricing', properties: { url: 'https://example.com', title: 'P', other: 1 } },
  needed: {},
  optional: { category: null, name: null, properties: null, traits: null },
  refused: [
    [{ name: 'Home' }, `userId: ${NOBODY} neither`],
    [{ userId: 'u', name: 7 }, 'name: expected a string, got number 7'],
    [{ userId: 'u', properties: { url: 7 } }, 'properties.url: expected a string, got number 7'],
    [{ userId: 'u', traits: { path: 7 } }, 'traits.path: expected a string, got number 7'],
    [
      { userId: 'u', properties: {}, traits: {} },
      'traits: expected either properties or traits, which are the same, got an object',
    ],
  ],
});

test('page sends its traits as properties', () => {
  const message = sent('page', { userId: 'u', traits: { url: 'https://example.com' } });
  expect(message).toEqual({ type: 'page', ...stamped, userId: 'u', properties: { url: 'https://example.com' } });
});
