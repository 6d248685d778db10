/**
 * A process that delivers until it is killed. With `load` it also takes in events, and with `drain` it ends when nothing waits.
 * It writes down each accepted id. On a cluster, each user has one message at a time.
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
// A late worker finds that another has taken its job, which needs no report here.
destination.on('error', () => undefined);

for (let batch = 0; task === 'load'; batch++) {
  const ids = Array.from({ length: 100 }, (_, index) => `${run}-${batch}-${index}`);
  await Promise.all(
    ids.map(async (id) => {
      // A message that a slow Redis does not answer in time does not count as accepted.
      const receipt = await destination.deliver(track(id)).catch(() => undefined);
      if (receipt !== undefined) appendFileSync(accepted, `${id}\n`);
    }),
  );
  // Waiting here prevents the backlog from growing without end.
  await destination.idle();
}
if (task === 'drain') {
  await destination.idle();
  await destination.close();
  await storage.close();
}
