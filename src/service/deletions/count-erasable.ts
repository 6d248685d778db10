import { setImmediate } from 'node:timers/promises';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { letterKeys } from '../../destination/changes/dead-letters.js';
import { MeantDeliveries } from '../../destination/changes/meant-deliveries.js';
import { waitingKeys } from '../../destination/changes/waiting-deliveries.js';
import { KnownWebhooks } from '../../destination/endpoints/known-webhooks.js';
import { usersOf } from '../../ledger/attempts/erased-users.js';
import { attempts } from '../../ledger/attempts/search.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { SourceDeletion } from '../api/deletion-answers.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';

/** How many events are read at a time, and about how many in total, which is limited because a request waits. */
const PAGE = 256;
const MOST_READ = 50_000;

type ErasableKind = 'waiting' | 'dead' | 'attempts';

/** How much of one source a deletion would erase. */
export type Erasable = Pick<SourceDeletion, ErasableKind>;

export interface ErasableCounts {
  readonly bySource: ReadonlyMap<string, Erasable>;
  /** True if there may be more than was counted. */
  readonly hasMore: boolean;
}

/** Counts the waiting deliveries, dead letters and kept attempts of these users, by the source of their events. */
export async function countErasable(
  keyValues: KeyValueStore,
  managedDestinations: ManagedDestinations,
  users: readonly string[],
): Promise<ErasableCounts> {
  const bySource = new Map<string, Record<ErasableKind, number>>();
  let read = 0;
  for await (const [kind, source, count] of everything(keyValues, managedDestinations, users)) {
    if (source !== undefined && count > 0) {
      const counts = bySource.get(source) ?? { waiting: 0, dead: 0, attempts: 0 };
      counts[kind] += count;
      bySource.set(source, counts);
    }
    read++;
    if (read >= MOST_READ) return { bySource, hasMore: true };
    // Reads may complete without yielding, so this gives other work a turn.
    if (read % PAGE === 0) await setImmediate();
  }
  return { bySource, hasMore: false };
}

type Row = readonly [kind: ErasableKind, source: string | undefined, count: number];

async function* everything(
  keyValues: KeyValueStore,
  managedDestinations: ManagedDestinations,
  users: readonly string[],
): AsyncGenerator<Row, void, undefined> {
  const all = managedDestinations.all();
  for (const { name, store } of all) {
    const meant = new MeantDeliveries({ user: users }, await KnownWebhooks.of(store));
    for await (const keys of waitingKeys(store, meant, undefined, PAGE)) {
      const isHere = (index: number, url: string): boolean => keys[index]?.webhook === url;
      const events = await meant.read(store, keys);
      yield* rowsOf('waiting', events, (event, index) => meant.waitingIn(event).filter(([url]) => isHere(index, url)));
    }
    // A deletion does not erase the dead letters of a removed destination.
    if (!managedDestinations.byName.has(name)) continue;
    for await (const keys of letterKeys(store, meant, undefined, PAGE))
      yield* rowsOf('dead', await meant.read(store, keys), (event) => meant.in(event));
  }
  const isUser = new Set(users);
  const names = all.map(({ name }) => name);
  for await (const { attempt } of attempts(keyValues, names))
    yield ['attempts', attempt.source, usersOf(attempt.message).some((user) => isUser.has(user)) ? 1 : 0];
}

/** Counts the deliveries of each event. Notifications of a deletion are left out, because they are not events of the user. */
function rowsOf(
  kind: ErasableKind,
  events: readonly (StoredEvent | undefined)[],
  deliveriesOf: (event: StoredEvent, index: number) => readonly unknown[],
): Row[] {
  return events.map((event, index) =>
    event === undefined || event.type === 'delete'
      ? [kind, undefined, 0]
      : [kind, event.source, deliveriesOf(event, index).length],
  );
}
