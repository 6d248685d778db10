import { NOBODY, testCall } from './calling.js';

const known = { userId: 'u', event: 'e' };

testCall('track', {
  full: { event: 'Order Completed', properties: { total: 42 } },
  needed: { event: 'e' },
  optional: { properties: null },
  refused: [
    [{ event: 'e' }, `userId: ${NOBODY} neither`],
    [{ userId: 'u' }, 'event: expected a non-empty string, got undefined'],
    [{ userId: 'u', event: '' }, 'event: expected a non-empty string, got string ""'],
    [{ userId: 'u', event: null }, 'event: expected a non-empty string, got null'],
    [{ ...known, properties: [] }, 'properties: expected a plain object, got an array'],
    [{ ...known, properties: 'x' }, 'properties: expected a plain object, got string "x"'],
    [{ ...known, properties: new Map() }, 'properties: expected a plain object, got a Map'],
  ],
});
