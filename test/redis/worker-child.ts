/**
 * A process that delivers until it is killed, and takes in events as well when it is told to `load`; with `drain`, until
 * nothing is left. Writes down each id that was accepted. On a cluster, one message of a user at a time.
 */

import { appendFileSync } from 'node:fs';
import { Destination } from '../../src/destination/index.js';
import { openRedisStorage } from '../../src/store/redis/redis-storage.js';
import { track } from '../destination/track.js';
import { seal } from '../store/seal.js';
import { KILLED } from './storage.js';

const [redis = '', url = '', task = '', run = '', accepted = ''] = process.argv.slice(2);
const nodes = redis.split(',');
const isCluster = nodes.length > 1;
const address = isCluster ? { cluster: nodes } : { url: redis };
const storage = await openRedisStorage({ ...address, prefix: 'killed' }, KILLED);
const store = await storage.deliveries('orders');
const destination = await Destination.open({
  webhooks: [{ url }],
  allowLoopback: true,
  ordered: isCluster ? 'user' : undefined,
  requestTimeout: 60_000,
  store: seal(store),
});
// A worker that is late finds its job taken by another: nothing to be said of it here.
destination.on('error', () => undefined);

for (let batch = 0; task === 'load'; batch++) {
  const ids = Array.from({ length: 100 }, (_, index) => `${run}-${batch}-${index}`);
  await Promise.all(
    ids.map(async (id) => {
      // What a slow Redis does not answer for in time is not accepted.
      const receipt = await destination.deliver(track(id)).catch(() => undefined);
      if (receipt !== undefined) appendFileSync(accepted, `${id}\n`);
    }),
  );
  // Not faster than it is delivered, or there is ever more to wait for.
  await destination.idle();
}
if (task === 'drain') {
  await destination.idle();
  await destination.close();
  await storage.close();
}
