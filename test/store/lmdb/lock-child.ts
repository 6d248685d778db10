/** Opens the store in a folder, reports the result, and holds it until it is killed or told to close it. */

import { lmdbStorage, lmdbStore } from '../../../src/store/lmdb/lmdb-storage.js';
import type { Storage } from '../../../src/store/storage.js';

const [path = '', kind = 'store'] = process.argv.slice(2);
let storage: Storage | undefined;
const opening = kind === 'store' ? lmdbStore({ path }) : lmdbStorage({ path }).then((opened) => (storage = opened));
const outcome = await opening.then(
  () => 'open',
  (error: Error & { code: string }) => error.code,
);
process.send?.(outcome);
process.on('message', () => void storage?.close());
setInterval(() => {}, 1_000);
