import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageTypes } from '../../src/protocol/message-checks.js';
import { NEEDED } from '../support/sample-calls.js';

const value = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, '', 0, true, [], {}, new Map(), new Date(0), () => {}, '\ud800'),
  fc.constantFrom<unknown>('x'.repeat(101), 'x'.repeat(9_000), { url: 5 }, { url: 'u' }, { toJSON() {} }),
  fc.constantFrom<unknown>({ All: false }, { All: 'no' }, { integrations: 1 }, { integrations: { All: 1 } }),
  fc.anything(),
);

test.each(Object.values(messageTypes))(
  'the fast check of $name accepts exactly the messages in which the inspections find no mistake',
  (type) => {
    // The fast check does not cover times.
    const names = [...type.fields].filter((name) => name !== 'type' && name !== 'timestamp');
    const changes = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 2 });
    fc.assert(
      fc.property(changes, (changed) => {
        const draft = type.read({ ...NEEDED, ...Object.fromEntries(changed) });
        expect(type.holds(draft)).toBe(type.mistakeIn(draft) === undefined);
      }),
      { numRuns: 1_000 },
    );
  },
);
