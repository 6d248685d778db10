import { type AttemptKind, changesTo, placeOf } from '../../src/ledger/attempts/chunks.js';
import { namesOf } from '../../src/ledger/attempts/kept-attempt.js';
import type { Change, KeyValueStore } from '../../src/store/key-value-store.js';

/** The number of attempts in a chunk, as in the service. */
const CHUNK = 50;
/** The maximum number of changes that a store accepts in one write. */
const MOST_CHANGES = 1_000;
/** The time between two chunks, at a thousand messages a minute. */
const CHUNK_MS = 3_000;

/** Returns the id of the event of a kept attempt. */
export const keptId = (number: number): string => `kept-${number}`;

/** Writes `count` attempts of earlier days in the form of the service, alternating between the destinations. */
export async function keepAttempts(
  keyValues: KeyValueStore,
  names: readonly string[],
  attempts: number,
): Promise<void> {
  const chunks = Math.ceil(attempts / CHUNK);
  const now = Date.now();
  let write: Change[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    const name = names[chunk % names.length] ?? '';
    const kind = Math.floor(chunk / names.length) % 9 === 0 ? 'failures' : 'successes';
    const changes = chunkOf(name, kind, chunk * CHUNK, now - (chunks - chunk) * CHUNK_MS);
    if (write.length + changes.length > MOST_CHANGES) {
      await keyValues.write(write);
      write = [];
    }
    write.push(...changes);
  }
  await keyValues.write(write);
}

/** Returns a chunk in which every ninth attempt was refused. */
function chunkOf(destination: string, kind: AttemptKind, first: number, at: number): Change[] {
  const kept = Array.from({ length: CHUNK }, (_, index) => attemptAt(destination, kind, first + index, at));
  const chunk = {
    destination,
    place: placeOf(kind, at, 'fixt', first / CHUNK),
    attempts: CHUNK,
    attemptedFrom: at,
    acceptedFrom: at - 40,
    again: [],
  };
  return changesTo(chunk, {
    text: JSON.stringify(kept),
    ids: kept.map(({ id }) => id),
    names: kept.flatMap(({ message }) => namesOf(message)),
  });
}

function attemptAt(destination: string, kind: AttemptKind, number: number, at: number) {
  const [phase, result, status] = kind === 'failures' ? ['dead', 'rejected', 404] : ['delivered', 'success', 200];
  const url = `https://${encodeURIComponent(destination)}.example/hook`;
  return {
    ...{ id: keptId(number), key: url, url, type: 'track', source: destination, acceptedAt: at - 40, phase, number: 1 },
    attempt: { at, durationMs: 40, result, status },
    sent: {
      headers: {
        'user-agent': 'eventferry/1.0',
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        'x-signature': '***',
      },
    },
    answer: { headers: { 'content-type': 'text/plain', date: new Date(at).toUTCString() }, text: 'ok', isCut: false },
    message: {
      ...{ type: 'track', event: 'Order Completed', userId: `user-${number % 5_000}`, messageId: keptId(number) },
      properties: { total: number % 977, currency: 'EUR', items: [{ sku: `sku-${number % 41}`, quantity: 1 }] },
      timestamp: new Date(at).toISOString(),
    },
  };
}
