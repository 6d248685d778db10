import type { Clock } from '../../base/time/clock.js';
import type { Storage } from '../../store/storage.js';
import type { Log } from '../service-log.js';

const EMPTIED =
  'the store has lost everything: somebody emptied it, or a server without the data took over; events that waited are lost, and the service continues with an empty store';

/** Counts how often the store was emptied while the service ran, and records when that last happened. */
export class StoreLosses {
  count = 0;
  /** In ms since 1970. */
  lastAt: number | undefined;

  constructor(storage: Pick<Storage, 'isNew' | 'onEmptied'>, log: Log, clock: Clock) {
    if (storage.isNew) log.info({}, 'the store is empty: nothing was kept in it before');
    storage.onEmptied(() => {
      this.count++;
      this.lastAt = clock.wall();
      log.error({ times: this.count }, EMPTIED);
    });
  }
}
