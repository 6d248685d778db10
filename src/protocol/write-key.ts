import { type Rule, required } from '../base/options/check-options.js';
import { EXPECTED_WRITE_KEY, isWriteKey } from '../base/options/header-rules.js';
import { kindOf } from '../base/text/describe.js';
import { nobodyIn } from './user-id.js';

/** The rule for a write key, which names a source as an id names a user. Its error shows only what a program made of no key. */
export const writeKeyRule: Rule & { readonly isRequired: true } = required({
  expected: EXPECTED_WRITE_KEY,
  holds: (key) => isWriteKey(key) && nobodyIn(key) === undefined,
  describe: (key) => ({ received: (typeof key === 'string' && nobodyIn(key)) || kindOf(key) }),
});
