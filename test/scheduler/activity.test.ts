import { expect, test } from 'vitest';
import { Activity } from '../../src/scheduler/activity.js';

test('an activity is quiet at once where nothing runs', async () => {
  await expect(new Activity().quiet()).resolves.toBeUndefined();
});

test('an activity is quiet when the last of several has ended, for every caller that waits', async () => {
  const activity = new Activity();
  const order: string[] = [];
  activity.begin();
  activity.begin();
  const waiting = [activity.quiet(), activity.quiet()].map((quiet) => quiet.then(() => order.push('quiet')));
  activity.end();
  await Promise.resolve();
  order.push('one runs');
  activity.end();
  await Promise.all(waiting);
  expect(order).toEqual(['one runs', 'quiet', 'quiet']);
});
