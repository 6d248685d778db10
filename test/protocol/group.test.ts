import { NOBODY, testCall } from './calling.js';

testCall('group', {
  full: { groupId: 'g1', traits: { seats: 40 } },
  needed: { groupId: 'g' },
  optional: { traits: null },
  refused: [
    [{ groupId: 'g' }, `userId: ${NOBODY} neither`],
    [{ userId: 'u' }, 'groupId: expected a non-empty string, got undefined'],
    [{ userId: 'u', groupId: '' }, 'groupId: expected a non-empty string, got string ""'],
    [{ userId: 'u', groupId: 'g', traits: 'x' }, 'traits: expected a plain object, got string "x"'],
  ],
});
