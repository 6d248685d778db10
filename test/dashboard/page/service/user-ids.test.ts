import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUserIds } from '../../../../src/dashboard/page/service/user-ids.js';

test.each([
  ['', [], 0],
  ['u1', ['u1'], 0],
  ['u1\nu2\n', ['u1', 'u2'], 0],
  ['u1\r\nu2\ru3', ['u1', 'u2', 'u3'], 0],
  ['  u1\t\n\n   \nu 2', ['u1', 'u 2'], 0],
  ['u1\nu2\nu1\n u1', ['u1', 'u2'], 2],
])('the user ids in %j are read', (text, ids, repeated) => {
  expect(readUserIds(text)).toEqual({ ids, repeated });
});

test('user ids are read once each, in the order of their first occurrence', () => {
  const id = fc.stringMatching(/^[a-c]{1,2}$/);
  fc.assert(
    fc.property(fc.array(id), (given) => {
      const { ids, repeated } = readUserIds(given.join('\n'));
      expect(ids).toEqual([...new Set(given)]);
      expect(repeated).toBe(given.length - ids.length);
    }),
  );
});
