import { FairQueue } from '../../base/structures/fair-queue.js';
import { allDone } from '../../base/structures/turns.js';
import type { Clock } from '../../base/time/clock.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import type { Origin } from '../../delivery/completion-rule.js';
import type { DeleteNotification } from '../../delivery/deliverable.js';
import { userKey } from '../../delivery/event-names.js';
import type { CanonicalEvent } from '../../destination/intake/canonical-event.js';
import type { NewEvent } from '../../destination/intake/prepared-event.js';
import { isWanted, type PreparedEvent, prepareCanonical } from '../../destination/intake/prepared-event.js';
import type { DeletedUsers } from '../../destination/retention/erasure.js';
import type { Counts } from '../../ledger/counts/counts.js';
import type { Integrations } from '../../protocol/integrations.js';
import type { Intake, IntakeDelivery, Storage } from '../../store/storage.js';
import type { Tracing } from '../operations/tracing.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { SourceRoute, SourceRoutes } from '../routing/message-routes.js';
import type { PlanVerdict } from '../routing/plan-rules.js';

/** A message of a source, or a notification to delete a user. */
export type Incoming = ReceivedMessage | (DeleteNotification & { readonly messageId: string });

export interface IngestOptions {
  readonly storage: Pick<Storage, 'takeIn' | 'assertRoom' | 'settled'>;
  readonly counts: Pick<Counts, 'received' | 'add'>;
  readonly clock: Clock;
  readonly deletedUsers: Pick<DeletedUsers, 'epoch'>;
  /** Undefined when no traces are recorded. */
  readonly tracing: Tracing | undefined;
}

/** A W3C `traceparent`, if there is one. */
type Trace = string | undefined;

/** One call of `take`. */
interface Taking {
  readonly source: string;
  readonly trace: Trace;
  /** The approximate size of each message in bytes. */
  readonly bytesEach: number;
  /** The messages of this call that were already stored. */
  readonly known: Set<Incoming>;
}

/** What became of the messages since the start. */
export interface IngestTotals {
  received: number;
  duplicates: number;
  blocked: number;
  forwarded: number;
  /** Deliveries that were left out because the destination is disabled or the message's integrations exclude it. */
  skipped: number;
}

/** A route none of whose destinations is being reopened. */
interface OpenRoute {
  readonly route: SourceRoute;
  /** The destinations of the route that are enabled. */
  readonly enabled: readonly ManagedDestination[];
}

/** A slice of messages, and what is stored for them. */
interface Slice extends OpenRoute {
  /** Messages that are forwarded come first, in the order of `preparedEvents`. */
  readonly messages: readonly Incoming[];
  readonly preparedEvents: readonly PreparedEvent[];
  /** Messages that are not forwarded because of the source's schema or tracking plan. */
  readonly blocked: ReadonlySet<Incoming>;
  /** The violations of the tracking plan that are counted, blocked or not. */
  readonly verdicts: ReadonlyMap<Incoming, PlanVerdict>;
}

/** How long another process may take to store the same messages, and how often this is checked, in ms. */
const PATIENCE_MS = 5_000;
const LOOK_MS = 100;

/**
 * How many deliveries are stored together, and how many are being stored at a time. A large message counts as one delivery for
 * every `DELIVERY_BYTES` if that is more, so this limits memory and the work of a turn, however much arrives.
 */
const SLICE = 256;
const MAX_RUNNING = 1_024;
const DELIVERY_BYTES = 4_096;

/** The maximum number of waiting deliveries of a source. Storing them takes about ten seconds, as long as many clients wait. */
const MOST_WAITING = 100_000;

/** Stores each message id of a source once, and hands each new message to the destinations that it is for. */
export class Ingest {
  /** The routes of the configuration in use. */
  routes: SourceRoutes;
  readonly tally: IngestTotals = { received: 0, duplicates: 0, blocked: 0, forwarded: 0, skipped: 0 };
  readonly #options: IngestOptions;
  readonly #queue = new FairQueue({ maxRunning: MAX_RUNNING, quantum: SLICE });

  constructor(routes: SourceRoutes, options: IngestOptions) {
    this.routes = routes;
    this.#options = options;
  }

  /** True if so many deliveries of a source wait to be stored that more would not be answered in time. */
  isFull(source: string): boolean {
    return this.#queue.waiting(source) >= MOST_WAITING;
  }

  /** Drops everything that waits to be stored. The senders are answered with 503 and send it again. */
  giveUp(): void {
    this.#queue.refuseAll(new Error('The service is closing and did not store these messages'));
  }

  /** Returns how many deliveries of a source wait to be stored. */
  waiting(source: string): number {
    return this.#queue.waiting(source);
  }

  /**
   * Resolves when every message is stored, whether by this call, an earlier one or another process. Many messages are stored in
   * slices. If one slice fails, the others stay stored, and a repeated call recognizes their ids.
   *
   * @param bytes the approximate size of the messages as JSON; given if they may be large
   * @returns the messages that were already stored
   * @throws StoreFullError, an error of the storage, or one that says that another process is storing one of the messages or that
   * the source is gone; the call may then be repeated.
   */
  take(source: string, messages: readonly Incoming[], bytes = 0): Promise<ReadonlySet<Incoming>> {
    const { tracing } = this.#options;
    if (tracing === undefined) return this.#take(source, messages, bytes);
    return tracing.ingest(source, messages.length, () => this.#take(source, messages, bytes));
  }

  async #take(source: string, messages: readonly Incoming[], bytes: number): Promise<ReadonlySet<Incoming>> {
    const { storage, tracing } = this.#options;
    storage.assertRoom();
    // The trace is read here, because a slice that has to wait begins in the context of another request.
    const bytesEach = bytes / Math.max(1, messages.length);
    const taking = { source, trace: tracing?.current(), bytesEach, known: new Set<Incoming>() };
    const left = await this.#takeInSlices(taking, messages);
    if (left.length > 0) await this.#outwait(taking, left);
    await storage.settled(() => ({
      source,
      messages: messages.map((each) => ({ id: each.messageId, user: userKey(each) })),
    }));
    return taking.known;
  }

  /** Waits until the other process has stored these messages, and stores those that it did not. */
  async #outwait(taking: Taking, messages: readonly Incoming[]): Promise<void> {
    const { clock } = this.#options;
    const deadline = clock.now() + PATIENCE_MS;
    for (let left = messages; left.length > 0; left = await this.#takeInSlices(taking, left)) {
      if (clock.now() >= deadline) throw new Error('Another request is storing one of these messages');
      await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
    }
  }

  /** Stores messages in slices, and returns those that another process is storing. */
  async #takeInSlices(taking: Taking, messages: readonly Incoming[]): Promise<readonly Incoming[]> {
    const { source, bytesEach } = taking;
    const costEach = Math.max(1, enabledOf(this.#routeOf(source)).length, bytesEach / DELIVERY_BYTES);
    const take = (slice: readonly Incoming[]): Promise<readonly Incoming[]> =>
      this.#queue.run(source, Math.ceil(slice.length * costEach), () => this.#takeSlice(taking, slice));
    const length = Math.max(1, Math.floor(SLICE / costEach));
    if (messages.length <= length) return take(messages);
    return (await allDone(slicesOf(messages, length).map(take))).flat();
  }

  /** Stores a slice once no destination of the route is being reopened, because such a destination accepts nothing. */
  async #takeSlice({ source, trace, known }: Taking, messages: readonly Incoming[]): Promise<readonly Incoming[]> {
    try {
      const epoch = await this.#options.deletedUsers.epoch();
      for (;;) {
        const route = this.#routeOf(source);
        const enabled = enabledOf(route);
        const closed = enabled.find((managed) => managed.opening !== undefined);
        // No `await` may come between the check and this call, because a destination could close in the meantime.
        if (closed === undefined) return await this.#store(sliceOf({ route, enabled }, messages, trace), epoch, known);
        await closed.opening;
      }
    } catch (error) {
      this.#queue.refuse(source, error);
      throw error;
    }
  }

  /**
   * Stores a slice and returns the messages that another process is storing. It counts the others and records which were already
   * stored.
   *
   * @throws DestinationClosedError when one of the destinations could not be opened.
   */
  async #store(slice: Slice, epoch: number, known: Set<Incoming>): Promise<readonly Incoming[]> {
    const { storage, clock } = this.#options;
    const { messages, preparedEvents, route, enabled } = slice;
    const now = clock.now();
    const receivers = enabled.map(({ store, destination }) => ({
      store,
      destination,
      newEvents: destination.arrivals.newEvents(preparedEvents, now, epoch),
    }));
    const storing = storage.takeIn(route.source, intakesOf(slice, receivers), now);
    // All of these have settled when `storing` has.
    const stored = await Promise.all(
      receivers.map(({ destination, newEvents }, place) => destination.arrivals.accept(newEvents, storing, place)),
    );
    const taken = await storing;
    const elsewhere: Incoming[] = [];
    for (const [index, message] of messages.entries()) {
      const became = taken[index];
      if (became === 'claimed') elsewhere.push(message);
      else if (became === 'known') {
        this.tally.duplicates++;
        known.add(message);
      } else this.#count(slice, message, index < preparedEvents.length);
    }
    this.#countForwarded(slice, stored);
    return elsewhere;
  }

  #countForwarded({ messages, route }: Slice, stored: readonly number[]): void {
    const forwarded = stored.reduce((sum, count) => sum + count, 0);
    if (forwarded === 0) return;
    this.tally.forwarded += forwarded;
    // Notifications are not counted, because the source did not send them.
    if (messages[0]?.type !== 'delete') this.#options.counts.add(route.source, 'forwarded', forwarded);
  }

  #count({ route, enabled, blocked, verdicts }: Slice, message: Incoming, goesOut: boolean): void {
    this.tally.received++;
    const isBlocked = blocked.has(message);
    if (isBlocked) this.tally.blocked++;
    else this.tally.skipped += route.managedDestinations.length - (goesOut ? enabled.length : 0);
    if (message.type === 'delete') return;
    const event = message.type === 'track' ? message.event : '';
    this.#options.counts.received(route.source, message.type, event, isBlocked);
    const verdict = verdicts.get(message);
    if (verdict !== undefined) route.plan?.count(message, verdict);
  }

  #routeOf(source: string): SourceRoute {
    const route = this.routes.of(source);
    if (route === undefined) throw new Error(`The configuration no longer has the source ${source}`);
    return route;
  }
}

const enabledOf = (route: SourceRoute) => route.managedDestinations.filter(({ isEnabled }) => isEnabled);

const slicesOf = <T>(items: readonly T[], length: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  );

/** Prepares the messages that are forwarded, each once for all destinations. */
function sliceOf({ route, enabled }: OpenRoute, incoming: readonly Incoming[], trace: Trace): Slice {
  const verdicts = new Map<Incoming, PlanVerdict>();
  const isHeldBack = (message: Incoming): boolean => {
    if (message.type === 'track' && route.isBlocked(message.event)) return true;
    const verdict = route.plan?.check(message);
    if (verdict !== undefined) verdicts.set(message, verdict);
    return verdict?.isBlocked === true;
  };
  const blocked = new Set(incoming.filter(isHeldBack));
  const goesOut = (message: Incoming): boolean => enabled.length > 0 && !blocked.has(message) && isMeant(message);
  const outgoing = incoming.filter(goesOut);
  const messages =
    outgoing.length === incoming.length ? incoming : [...outgoing, ...incoming.filter((each) => !goesOut(each))];
  const origin: Origin = trace === undefined ? { source: route.source } : { source: route.source, trace };
  const preparedEvents = outgoing.map((message) => {
    // The collector, or the part of this service that made the message, has already made it canonical.
    const prepared = prepareCanonical(message as CanonicalEvent);
    return { ...prepared, id: message.messageId, origin };
  });
  return { messages, preparedEvents, route, enabled, blocked, verdicts };
}

/** A destination that receives the messages of a slice, and the events that its store is to keep. */
interface Receiver extends Pick<ManagedDestination, 'store' | 'destination'> {
  readonly newEvents: readonly NewEvent[];
}

function intakesOf({ messages, preparedEvents }: Slice, receivers: readonly Receiver[]): Intake[] {
  return messages.map((message, index) => {
    const { body, user } = preparedEvents[index] ?? { body: NO_BODY, user: userKey(message) };
    const deliveries: IntakeDelivery[] = [];
    for (const { store, newEvents } of receivers) {
      const event = newEvents[index]?.event;
      if (event !== undefined) deliveries.push({ store, event });
    }
    return { id: message.messageId, user, body, deliveries };
  });
}

const NO_BODY = new Uint8Array();

const isMeant = (message: Incoming): boolean => isWanted(integrationsOf(message));

const integrationsOf = (message: Incoming): Integrations | undefined =>
  // The collector accepts only an object or nothing here; the values in it do not matter.
  message.type === 'delete' ? undefined : (message.integrations as Integrations | undefined);
