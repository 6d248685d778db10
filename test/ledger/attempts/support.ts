import { onTestFinished } from 'vitest';
import { startInterval } from '../../../src/base/time/interval.js';
import type { StoredEvent } from '../../../src/delivery/completion-rule.js';
import type { StoredState } from '../../../src/delivery/state.js';
import { Exchange } from '../../../src/destination/sending/exchange.js';
import { allChunks, type Chunk, chunksOf } from '../../../src/ledger/attempts/chunks.js';
import { ErasedUsers } from '../../../src/ledger/attempts/erased-users.js';
import { KeptAttempts, MAX_AGE_MS } from '../../../src/ledger/attempts/kept-attempts.js';
import { attempts } from '../../../src/ledger/attempts/search.js';
import type { Exchanged } from '../../../src/ledger/attempts/unwritten.js';
import { ProcessValues } from '../../../src/ledger/process-values.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

export const HOOK = 'https://crm.example/hook';

interface Made {
  /** The fields of the message other than its id. */
  readonly message?: Record<string, unknown>;
  readonly at: number;
  readonly acceptedAt?: number | undefined;
  /** The number of deletions when the event was accepted. */
  readonly epoch?: number;
  /** The number of the attempt, from 1. */
  readonly number?: number;
  /** True if another attempt follows. */
  readonly isRetried?: boolean;
  /** True if the event was settled while the request was running. */
  readonly isSettled?: boolean;
}

/** Makes an attempt in the form in which a destination reports it. */
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
    destination: 'crm',
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
  readonly maxBytes?: number | undefined;
  readonly maxAge?: number | undefined;
  readonly keyValues?: KeyValueStore;
  readonly clock?: FakeClock;
}

/** Opens the kept attempts of one process. They are written once a second. */
export function openAttempts({
  maxBytes,
  maxAge = MAX_AGE_MS,
  keyValues = memoryStorage().keyValues,
  clock = new FakeClock(),
}: OpenOptions = {}) {
  const errors: unknown[] = [];
  const state = { spareBytes: Number.POSITIVE_INFINITY };
  const recent = new KeptAttempts({
    storage: {
      keyValues,
      historyBytes: 1_000_000_000,
      spareBytes: () => state.spareBytes,
    },
    clock,
    deletedUsers: new ErasedUsers(keyValues, clock, true),
    process: new ProcessValues(keyValues).process,
    onError: (error) => errors.push(error),
  });
  const configure = (keepAttempts: boolean): void => {
    recent.configure({ maxBytes, maxAge }, new Set(keepAttempts ? [] : ['crm']));
  };
  configure(true);
  const stop = startInterval({
    clock,
    everyMs: 1_000,
    act: () => recent.write(),
    onError: (error) => errors.push(error),
  });
  onTestFinished(async () => {
    stop();
    await recent.write();
    await recent.close();
  });
  const add = (id: string, made: Partial<Made> = {}, destination = 'crm'): void =>
    recent.unwritten.record({ ...exchangedOf(id, { at: clock.now(), ...made }), destination });
  const kept = async (destination = 'crm'): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { attempt } of attempts(keyValues, [destination])) ids.push(attempt.id);
    return ids;
  };
  return { recent, keyValues, clock, add, kept, errors, state, configure };
}

/** Returns the chunks that are in the index. */
export async function chunksIn(keyValues: KeyValueStore, destination?: string): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of destination === undefined ? allChunks(keyValues) : chunksOf(keyValues, destination))
    chunks.push(chunk);
  return chunks;
}

/** Returns the size of these chunks according to the index. */
export const bytesIn = async (keyValues: KeyValueStore, destination?: string): Promise<number> =>
  (await chunksIn(keyValues, destination)).reduce((sum, { bytes }) => sum + bytes, 0);

export const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `m${from + index}`);

/** Counts erased attempts under a key that no test reads. */
export const counted = (attempts: number) => ({ key: 'erased', value: String(attempts) });
