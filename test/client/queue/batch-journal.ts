import { JournalError } from '../../../src/base/errors/journal-errors.js';
import type { Batch } from '../../../src/client/queue/batch.js';
import type { BatchJournal } from '../../../src/client/queue/disk-backlog.js';

/** A journal that contains these batches of earlier processes. */
export function journalOf(earlier: Batch[] = [], { room = 1_000, mayUnload = true } = {}): BatchJournal {
  return {
    maxBytes: room,
    isStoring: true,
    hasRoomFor: (bytes) => bytes <= room,
    noteAdded() {},
    noteEnded() {},
    noteDropped() {},
    tellDamage: () => new JournalError('EVENTFERRY_JOURNAL_DAMAGED', 'journal', 'gone'),
    mayUnload: () => mayUnload,
    heldOf: () => 0,
    get hasMore() {
      return earlier.length > 0;
    },
    next: async () => earlier.shift(),
  };
}
