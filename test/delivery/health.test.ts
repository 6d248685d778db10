import { expect, test } from 'vitest';
import { RecentAttempts } from '../../src/delivery/health.js';

/** `x` failed and `.` did not; gives the same with `F` while it is failing. */
const after = (attempts: string): string => {
  const recent = new RecentAttempts();
  return Array.from(attempts, (attempt) => {
    recent.add(attempt === 'x');
    return recent.isFailing ? 'F' : '.';
  }).join('');
};

test.each([
  ['one and two failures alone say nothing', 'xx', '..'],
  ['three failures do', 'xxx', '..F'],
  ['half of the attempts are not most', '.x.x.x.x.x', '..........'],
  ['two failures of three do not', 'x.x', '...'],
  ['most of the last attempts do, however many went well before', '..........xxxxxx', '...............F'],
  ['it is over once less than a third failed', 'xxx.......', '..FFFFFFF.'],
  ['an endpoint that fails every other time does not come and go', 'xxx.x.x.x.x.x.x.', '..FFFFFFFFFFFFFF'],
  ['only the last ten count', 'xxxxxxxxxxxxxxxxxxxx.......', '..FFFFFFFFFFFFFFFFFFFFFFFF.'],
])('%s', (_, attempts, failing) => {
  expect(after(attempts)).toBe(failing);
});

test('it says when failing begins and ends', () => {
  const recent = new RecentAttempts();
  expect(Array.from('xxxx', () => recent.add(true))).toEqual([false, false, true, false]);
  expect({ failed: recent.failed, count: recent.count }).toEqual({ failed: 4, count: 4 });
});
