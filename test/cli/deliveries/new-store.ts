import { Destination } from '../../../src/destination/destination.js';
import { lmdbStore } from '../../../src/store/lmdb/lmdb-storage.js';
import { track } from '../../destination/track.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { newFolder } from '../files.js';

/** Creates a store with one dead letter, `gone`, and one waiting delivery, `busy`. */
export async function newStore(query = '') {
  const path = await newFolder();
  const endpoint = await startEndpoint(404, { status: 503, headers: { 'retry-after': '3600' } }, 200);
  const open = async (): Promise<Destination> =>
    Destination.open({
      webhooks: [{ url: `${endpoint.url}${query}` }],
      allowLoopback: true,
      store: await lmdbStore({ path }),
    });
  const destination = await open();
  for (const id of ['gone', 'busy']) {
    const attempted = new Promise((resolve) => destination.on('attempt', resolve));
    await destination.deliver(track(id));
    await attempted;
  }
  await destination.close();
  return { path, open, endpoint };
}
