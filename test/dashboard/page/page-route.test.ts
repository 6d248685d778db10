import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRoute, parseRoute } from '../../../src/dashboard/page/page-route.js';

test.each([
  ['', { view: '', open: '', query: {} }],
  ['#sources', { view: 'sources', open: '', query: {} }],
  ['#sources/mobile%20app', { view: 'sources', open: 'mobile app', query: {} }],
  ['#destinations?sort=p95&page=2', { view: 'destinations', open: '', query: { sort: 'p95', page: '2' } }],
  ['#destinations/a%2Fb%3Fc?range=7d', { view: 'destinations', open: 'a/b?c', query: { range: '7d' } }],
  ['#deliveries/100%', { view: 'deliveries', open: '100%', query: {} }],
  ['#messages?text=&user=ada', { view: 'messages', open: '', query: { user: 'ada' } }],
])('the address %j is parsed as the route %j', (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});

test('a route is the same after it was written as an address and parsed again, whatever its texts are', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(text, fc.dictionary(fc.stringMatching(/^[a-z]+$/), text), (open, query) => {
      const kept = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
      expect(parseRoute(formatRoute({ view: 'sources', open, query }))).toEqual({ view: 'sources', open, query: kept });
    }),
  );
});
