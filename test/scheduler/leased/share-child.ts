import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Destination } from '../../../src/destination/index.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { seal } from '../../../src/store/store.js';
import { track } from '../../destination/track.js';

/** A process of a service: takes messages in and delivers until it is killed, or until it is told to end. Writes down each id that was accepted. */

const [path = '', url = '', run = ''] = process.argv.slice(2);
const storage = await lmdbStorage({ path });
const store = await storage.deliveries('crm');
const destination = await Destination.open({
  webhooks: [{ url }],
  sharedSecret: 'shhh',
  allowLoopback: true,
  store: seal(store),
});

let isEnding = false;
process.on('message', () => {
  isEnding = true;
});
for (let batch = 0; !isEnding; batch++) {
  const ids = Array.from({ length: 20 }, (_, index) => `${run}-${batch}-${index}`);
  await Promise.all(
    ids.map(async (id) => {
      await destination.deliver(track(id));
      appendFileSync(join(path, 'accepted'), `${id}\n`);
    }),
  );
  // No more than can be delivered while a test waits.
  await setTimeout(20);
}
process.send?.('ended');
// Goes on handing out what waits until it is killed.
setInterval(() => {}, 1_000);
