import { testCall } from './calling.js';

testCall('alias', {
  full: { previousId: 'a0' },
  needed: { previousId: 'p' },
  optional: {},
  refused: [
    [{ userId: 'u' }, 'previousId: expected a non-empty string, got undefined'],
    [{ userId: 'u', previousId: '' }, 'previousId: expected a non-empty string, got string ""'],
    [{ previousId: 'p', anonymousId: 'a' }, 'userId: expected a non-empty string, got undefined'],
    [{ userId: null, previousId: 'p' }, 'userId: expected a non-empty string, got null'],
    [{ userId: '', previousId: 'p' }, 'userId: expected a non-empty string, got string ""'],
  ],
});
