/** Opens the store in a folder, says what came of it, and has it open until it is killed. */

import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { lmdbStore } from '../../../src/store/lmdb/lmdb-store.js';

const [path = '', kind = 'alone'] = process.argv.slice(2);
const opening = kind === 'alone' ? lmdbStore({ path }) : lmdbStorage({ path });
const outcome = await opening.then(
  () => 'open',
  (error: Error & { code: string }) => error.code,
);
process.send?.(outcome);
setInterval(() => {}, 1_000);
