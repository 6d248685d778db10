import { NOBODY, testCall } from './calling.js';

testCall('screen', {
  full: { category: 'Shop', name: 'Checkout', properties: { step: 2 } },
  needed: {},
  optional: { category: null, name: null, properties: null },
  refused: [
    [{ name: 'Home' }, `userId: ${NOBODY} neither`],
    [{ userId: 'u', category: 7 }, 'category: expected a string, got number 7'],
    [{ userId: 'u', name: {} }, 'name: expected a string, got an object'],
    [{ userId: 'u', properties: [] }, 'properties: expected a plain object, got an array'],
  ],
});
