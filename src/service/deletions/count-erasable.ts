import { setImmediate } from 'node:timers/promises';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { letterKeys } from '../../destination/dead-letters.js';
import { KnownWebhooks } from '../../destination/known-webhooks.js';
import { MeantDeliveries } from '../../destination/meant-deliveries.js';
import { waitingKeys } from '../../destination/waiting-deliveries.js';
import type { EventKey, EventStore } from '../../store/event-store.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { SourceDeletion } from '../api/answer-types.js';
import { usersOf } from '../recent/erased-users.js';
import { attempts } from '../recent/search.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';

/** The number of events that are read at a time, and about the most that are read in all, because a request waits for the answer. */
const PAGE = 256;
const MOST_READ = 50_000;

type Kind = 'waiting' | 'dead' | 'attempts';

/** The numbers of one source that a deletion would erase. */
export type Erasable = Pick<SourceDeletion, Kind>;

export interface Counted {
  readonly bySource: ReadonlyMap<string, Erasable>;
  /** True when there may be more than was counted. */
  readonly hasMore: boolean;
}

/** Counts the deliveries that wait, the dead letters and the attempts of these users by the source of their events. */
export async function countErasable(
  keyValues: KeyValueStore,
  managedDestinations: ManagedDestinations,
  users: readonly string[],
): Promise<Counted> {
  const bySource = new Map<string, Record<Kind, number>>();
  let read = 0;
  for await (const { kind, found } of everything(keyValues, managedDestinations, users)) {
    for (const { source, count } of found) {
      const counts = bySource.get(source) ?? { waiting: 0, dead: 0, attempts: 0 };
      counts[kind] += count;
      bySource.set(source, counts);
    }
    read += PAGE;
    if (read >= MOST_READ) return { bySource, hasMore: true };
    // Reading may take nothing but this process's time.
    await setImmediate();
  }
  return { bySource, hasMore: false };
}

/** The users' part of one page. */
interface Page {
  readonly kind: Kind;
  readonly found: readonly { readonly source: string; readonly count: number }[];
}

async function* everything(
  keyValues: KeyValueStore,
  managedDestinations: ManagedDestinations,
  users: readonly string[],
): AsyncGenerator<Page, void, undefined> {
  const all = managedDestinations.all();
  for (const { name, store } of all) {
    const meant = new MeantDeliveries({ user: users }, await KnownWebhooks.of(store));
    yield* eventsOf(
      'waiting',
      store,
      waitingKeys(store, meant, undefined, PAGE),
      (event, { webhook }) => meant.waitingIn(event).filter(([url]) => url === webhook).length,
    );
    // The dead letters of a destination that was removed stay.
    if (!managedDestinations.byName.has(name)) continue;
    yield* eventsOf('dead', store, letterKeys(store, meant, undefined, PAGE), (event) => meant.in(event).length);
  }
  yield* attemptsOf(
    keyValues,
    all.map(({ name }) => name),
    users,
  );
}

async function* eventsOf<K extends EventKey>(
  kind: Kind,
  store: EventStore,
  pages: AsyncIterable<readonly K[]>,
  countIn: (event: StoredEvent, key: K) => number,
): AsyncGenerator<Page, void, undefined> {
  for await (const keys of pages) {
    const events = await Promise.all(keys.map(({ id, partition }) => store.event(id, partition)));
    const found = keys.flatMap((key, index) => {
      const { [index]: event } = events;
      // A notification of a deletion is none of the user's events.
      if (event?.source === undefined || event.type === 'delete') return [];
      const count = countIn(event, key);
      return count === 0 ? [] : [{ source: event.source, count }];
    });
    yield { kind, found };
  }
}

async function* attemptsOf(
  keyValues: KeyValueStore,
  destinations: readonly string[],
  users: readonly string[],
): AsyncGenerator<Page, void, undefined> {
  const isUser = new Set(users);
  let found: { source: string; count: number }[] = [];
  let looked = 0;
  for await (const { attempt } of attempts(keyValues, destinations)) {
    const { source, message } = attempt;
    if (source !== undefined && usersOf(message).some((user) => isUser.has(user))) found.push({ source, count: 1 });
    looked++;
    if (looked % PAGE > 0) continue;
    yield { kind: 'attempts', found };
    found = [];
  }
  yield { kind: 'attempts', found };
}
