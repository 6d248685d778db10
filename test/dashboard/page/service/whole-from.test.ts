import { expect, test } from 'vitest';
import { wholeFromText } from '../../../../src/dashboard/page/service/whole-from.js';

const now = new Date(2026, 10, 20, 12).getTime();
const at = (hours: number) => new Date(2026, 10, 20, hours, 4, 31).toISOString();

test.each([
  ['everything', at(10), at(10), 'Complete since 10:04:31.'],
  ['failures for longer', at(11), at(-14), 'Failures are complete since 2026-11-19 10:04, successes since 11:04:31.'],
  ['nothing', null, null, 'Nothing is kept.'],
  ['dead letters, all of them', undefined, undefined, ''],
])('a list says since when it is complete where it has %s', (_, wholeFrom, failuresWholeFrom, text) => {
  expect(
    wholeFromText(
      { ...(wholeFrom !== undefined && { wholeFrom }), ...(failuresWholeFrom !== undefined && { failuresWholeFrom }) },
      now,
    ),
  ).toBe(text);
});
