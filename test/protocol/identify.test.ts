import { NOBODY, testCall } from './calling.js';

testCall('identify', {
  full: { traits: { plan: 'pro' } },
  needed: {},
  optional: { traits: null },
  refused: [
    [{ traits: {} }, `userId: ${NOBODY} neither`],
    [{ userId: 'u', traits: [] }, 'traits: expected a plain object, got an array'],
  ],
});
