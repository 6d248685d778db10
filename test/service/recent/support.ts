import { onTestFinished } from 'vitest';
import type { StoredEvent } from '../../../src/delivery/completion-rule.js';
import type { StoredState } from '../../../src/delivery/state.js';
import { Exchange } from '../../../src/destination/exchange.js';
import type { KeepLimit } from '../../../src/service/recent/bounds.js';
import type { Exchanged } from '../../../src/service/recent/recent-attempt.js';
import { RecentAttempts } from '../../../src/service/recent/recent-attempts.js';
import { attempts } from '../../../src/service/recent/search.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

export const HOOK = 'https://crm.example/hook';

interface Made {
  /** Beside its id. */
  readonly message?: Record<string, unknown>;
  readonly at: number;
  readonly acceptedAt?: number | undefined;
  /** How many deletions there had been when it was accepted. */
  readonly epoch?: number;
  /** Which attempt at the delivery this is. */
  readonly number?: number;
  /** Whether another one follows. */
  readonly isRetried?: boolean;
  /** Whether the event was settled while the request ran. */
  readonly isSettled?: boolean;
}

/** An attempt as a destination tells of it. */
export function exchangedOf(
  id: string,
  { message, at, acceptedAt = at, epoch, number = 1, isRetried = false, isSettled = false }: Made,
): Exchanged {
  const body = Buffer.from(JSON.stringify({ type: 'track', messageId: id, ...message }));
  const before: StoredState =
    number === 1
      ? { phase: 'pending', due: at, history: [] }
      : { phase: 'retrying', due: at, firstAttemptAt: acceptedAt, attempts: number - 1, history: [] };
  const state: StoredState = isRetried
    ? { phase: 'retrying', due: at + 60_000, firstAttemptAt: at, attempts: number, history: [] }
    : { phase: 'delivered', at, history: [] };
  const event: StoredEvent = {
    id,
    type: 'track',
    acceptedAt,
    urls: { [HOOK]: before },
    isDead: false,
    ...(epoch && { epoch }),
  };
  return {
    id,
    key: HOOK,
    name: { endpoint: HOOK },
    attempt: {
      at,
      durationMs: 1,
      ...(isRetried ? { result: 'server-error', status: 503 } : { result: 'success', status: 200 }),
    },
    entry: isSettled ? undefined : { before: event, url: HOOK, state, ending: undefined, spared: [] },
    exchange: new Exchange(body, {}, []),
  };
}

export interface OpenOptions {
  readonly keep?: 0 | KeepLimit | undefined;
  readonly keyValues?: KeyValueStore;
  readonly clock?: FakeClock;
}

/** The recent attempts of one process. */
export function openRecent({ keep, keyValues = memoryStorage().keyValues, clock = new FakeClock() }: OpenOptions = {}) {
  const errors: unknown[] = [];
  const state = { isFull: false };
  const configure = (now: OpenOptions['keep']): void =>
    recent.configure(['crm', 'ads', ...range(1, 60)].map((name) => ({ name, keep: now })));
  const recent = new RecentAttempts({
    storage: {
      keyValues,
      assertRoom: () => {
        if (state.isFull) throw new Error('full');
      },
    },
    clock,
    onError: (error) => errors.push(error),
  });
  configure(keep);
  onTestFinished(() => recent.close());
  const add = (id: string, made: Partial<Made> = {}, destination = 'crm'): void =>
    recent.recorder(destination).record(exchangedOf(id, { at: clock.now(), ...made }));
  const kept = async (destination = 'crm'): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { attempt } of attempts(keyValues, [destination])) ids.push(attempt.id);
    return ids;
  };
  return { recent, keyValues, clock, add, kept, errors, state, configure };
}

export const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `m${from + index}`);
