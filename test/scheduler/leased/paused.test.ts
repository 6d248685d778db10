import { expect, test } from 'vitest';
import { newFolder } from '../../cli/files.js';
import { track } from '../../destination/track.js';
import { startEndpoint } from '../test-endpoint.js';
import { openMember, pass } from './members.js';

test('a process that takes over a paused destination sends nothing until it goes on', async () => {
  const endpoint = await startEndpoint(200);
  const path = await newFolder();
  const [first, second] = [await openMember(path, endpoint.url), await openMember(path, endpoint.url)];
  for (const { destination } of [first, second]) destination.setPaused(true);
  await second.destination.deliver(track('m1'));
  await pass([first, second], 1_000);
  await first.close();
  await pass([second], 10_000);
  expect(endpoint.received).toHaveLength(0);
  expect((await second.destination.explain('m1'))?.endpoints[0]?.why).toBe('the destination is paused');
  second.destination.setPaused(false);
  await endpoint.has(1);
  await second.destination.idle();
});
