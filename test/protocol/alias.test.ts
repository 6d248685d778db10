import { testCall } from './calling.js';

testCall('alias', {
  full: { previousId: 'a0' },
  needed: { previousId: 'p' },
  optional: {},
  refused: [
    [{ userId: 'u' }, 'previousId: expected a non-empty string, got undefined'],
    [{ userId: 'u', previousId: '' }, 'previousId: expected a non-empty string, got string ""'],
    [
      { userId: 'u', previousId: '\ud800' },
      'previousId: expected well-formed text of at most 1000 bytes, got string "\\ud800"',
    ],
    [{ previousId: 'p', anonymousId: 'a' }, 'userId: expected a non-empty string, got undefined'],
    [{ userId: null, previousId: 'p' }, 'userId: expected a non-empty string, got null'],
    [{ userId: '', previousId: 'p' }, 'userId: expected a non-empty string, got string ""'],
  ],
});
