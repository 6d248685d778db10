import { type Rule, required } from '../base/options/check-options.js';
import { EXPECTED_WRITE_KEY, isWriteKey } from '../base/options/header-rules.js';
import { kindOf } from '../base/text/describe.js';
import { nobodyIn } from './user-id.js';

/**
 * The rule for a write key, which identifies a source as an id identifies a user. Its error shows the key only if a program made
 * it from a missing value.
 */
export const writeKeyRule: Rule & { readonly isRequired: true } = required({
  expected: EXPECTED_WRITE_KEY,
  holds: (key) => isWriteKey(key) && nobodyIn(key) === undefined,
  describe: (key) => ({ received: (typeof key === 'string' && nobodyIn(key)) || kindOf(key) }),
});
