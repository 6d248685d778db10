import { type Rule, required } from '../base/options/check-options.js';
import { EXPECTED_WRITE_KEY, isWriteKey } from '../base/options/header-rules.js';
import { kindOf } from '../base/text/describe.js';
import { nobodyIn } from './user-id.js';

const isNobodys = (key: string): boolean => nobodyIn(key) !== undefined;

/** The rule for a write key, which names a source as an id names a user. What it shows of a wrong one is no secret. */
export const writeKeyRule: Rule & { readonly isRequired: true } = required({
  expected: EXPECTED_WRITE_KEY,
  holds: (key) => isWriteKey(key) && !isNobodys(key),
  describe: (key) => ({
    received: isWriteKey(key) && isNobodys(key) ? 'blanks, or what becomes of a value that is missing' : kindOf(key),
  }),
});
