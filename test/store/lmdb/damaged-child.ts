/**
 * Uses the stores in the given folders one after another, and reports the result of each. Damage could end this process at any of
 * them.
 */

import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { EventStore } from '../../../src/store/event-store.js';
import { openLmdbStore } from './open.js';

const URL = 'https://a.example/';

async function use(store: EventStore): Promise<void> {
  await store.backlog();
  const places = await store.waiting(URL, 'first', undefined, 5_000);
  for (const { id } of [...places, ...(await store.dead(undefined, 5_000))]) {
    await store.event(id);
    await store.body(id);
  }
  await Promise.all(places.slice(0, 500).map(({ id }) => store.update(id, () => undefined)));
  const body = new Uint8Array(9_000);
  for (let round = 0; round < 3; round++) {
    const ids = Array.from({ length: 100 }, (_, index) => `new-${round}-${index}`);
    await Promise.all(ids.map((id) => store.add(newEvent(id, 'track', [URL], round), body)));
  }
}

for (const path of process.argv.slice(2)) {
  process.send?.({ path, begins: true });
  const outcome = await openLmdbStore({ path, lock: 'alone' }).then(
    async (store) => {
      const used = await use(store).then(
        () => 'works',
        (error: Error) => `works but: ${error.message}`,
      );
      await store.close();
      return used;
    },
    (error: Error & { code: string }) => `${error.code}: ${error.message}`,
  );
  process.send?.({ path, outcome });
}
process.disconnect();
