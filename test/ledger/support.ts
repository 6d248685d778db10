import { expect, onTestFinished } from 'vitest';
import { ErasedUsers } from '../../src/ledger/attempts/erased-users.js';
import { Ledger } from '../../src/ledger/ledger.js';
import { attemptDurations } from '../../src/service/operations/service-metrics.js';
import type { KeyValueStore } from '../../src/store/key-value-store.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { FakeClock } from '../support/fake-clock.js';

export interface LedgerUnderTest {
  readonly keyValues?: KeyValueStore;
  readonly clock?: FakeClock;
  /** @default as much as is wanted */
  spareBytes?(): number;
  onError?(error: unknown): void;
}

/** Opens the ledger of one process. `levels` has the number of waiting deliveries of each destination. */
export function openLedger({
  keyValues = memoryStorage().keyValues,
  clock = new FakeClock(),
  spareBytes = () => Number.POSITIVE_INFINITY,
  onError = (error) => expect.fail(String(error)),
}: LedgerUnderTest = {}) {
  const levels = new Map<string, number>();
  const ledger = new Ledger({
    storage: { keyValues, historyBytes: 1_000_000_000, spareBytes },
    clock,
    deletedUsers: new ErasedUsers(keyValues, clock, true),
    durations: attemptDurations(),
    waiting: () => levels,
    onError,
  });
  onTestFinished(() => ledger.close());
  return { ledger, keyValues, clock, levels };
}
