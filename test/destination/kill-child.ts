/** A process that delivers until it is killed or nothing waits any more. It writes down each accepted id. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Destination, lmdbStore } from '../../src/destination/index.js';
import { track } from './track.js';

const [path = '', url = '', run = ''] = process.argv.slice(2);
const store = await lmdbStore({ path });
const destination = await Destination.open({ webhooks: [{ url }], sharedSecret: 'shhh', allowLoopback: true, store });

if (run === 'drain') {
  await destination.idle();
  await destination.close();
} else {
  for (let batch = 0; ; batch++) {
    const ids = Array.from({ length: 50 }, (_, index) => `${run}-${batch}-${index}`);
    await Promise.all(
      ids.map(async (id) => {
        await destination.deliver(track(id));
        appendFileSync(join(path, 'accepted'), `${id}\n`);
      }),
    );
  }
}
