import { FairQueue } from '../../base/structures/fair-queue.js';
import type { Clock } from '../../base/time/clock.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import type { Origin } from '../../delivery/completion-rule.js';
import type { DeleteNotification } from '../../delivery/deliverable.js';
import { userKey } from '../../delivery/event-names.js';
import type { CanonicalEvent } from '../../destination/intake/canonical-event.js';
import type { NewEvent } from '../../destination/intake/prepared-event.js';
import { isWanted, type PreparedEvent, prepareCanonical } from '../../destination/intake/prepared-event.js';
import type { DeletedUsers } from '../../destination/retention/erasure.js';
import type { Integrations } from '../../protocol/integrations.js';
import type { Intake, IntakeDelivery, Storage } from '../../store/storage.js';
import type { Tracing } from '../operations/tracing.js';
import type { ManagedDestination } from '../routing/managed-destination.js';
import type { Route, Routes } from '../routing/message-routes.js';
import { allDone } from '../turns.js';
import type { Counts } from './counts.js';
import { ServiceClosingError, SourceGoneError, StoringElsewhereError } from './ingest-errors.js';

/** A message of a source, or a notification to delete a user. */
export type Incoming = ReceivedMessage | (DeleteNotification & { readonly messageId: string });

export interface IngestOptions {
  readonly storage: Pick<Storage, 'takeIn' | 'assertRoom' | 'settled'>;
  readonly counts: Counts;
  readonly clock: Clock;
  readonly deletedUsers: Pick<DeletedUsers, 'epoch'>;
  /** Undefined when traces go nowhere. */
  readonly tracing: Tracing | undefined;
}

/** W3C's `traceparent`, if there is one. */
type Trace = string | undefined;

/** One call of `take`. */
interface Taking {
  readonly source: string;
  readonly trace: Trace;
  /** About the bytes of each of its messages. */
  readonly bytesEach: number;
  /** Those of its messages that were stored before. */
  readonly known: Set<Incoming>;
}

/** Outcomes of the messages since the start. */
export interface Tally {
  received: number;
  duplicates: number;
  blocked: number;
  forwarded: number;
  /** Deliveries left out: the destination is not enabled, or the message's integrations exclude it. */
  skipped: number;
}

/** A route, of whose destinations none is being reopened. */
interface OpenRoute {
  readonly route: Route;
  /** The destinations of the route that are enabled. */
  readonly enabled: readonly ManagedDestination[];
}

/** A slice of messages and what is to be stored of them. */
interface Slice extends OpenRoute {
  /** The messages that go out come first, in the order of the prepared events. */
  readonly messages: readonly Incoming[];
  readonly preparedEvents: readonly PreparedEvent[];
  /** The schema or the plan of the source holds these back. */
  readonly blocked: ReadonlySet<Incoming>;
}

/** Another process has this long to store the same messages, and is asked this often whether it has, in ms. */
const PATIENCE_MS = 5_000;
const LOOK_MS = 100;

/**
 * The number of deliveries that are stored together, and the number on their way into the store at a time. A large message counts as
 * one for every `DELIVERY_BYTES` where that is more, so this bounds the memory and the work of a turn, however much has come in.
 */
const SLICE = 256;
const MAX_RUNNING = 1_024;
const DELIVERY_BYTES = 4_096;

/** About this many are stored in ten seconds, and many clients wait no longer for an answer. */
const MOST_WAITING = 100_000;

/** Takes each id of a source once, and gives what it takes to the destinations it is for. */
export class Ingest {
  /** They are those of the configuration in use. */
  routes: Routes;
  readonly tally: Tally = { received: 0, duplicates: 0, blocked: 0, forwarded: 0, skipped: 0 };
  readonly #options: IngestOptions;
  readonly #queue = new FairQueue({ maxRunning: MAX_RUNNING, quantum: SLICE });

  constructor(routes: Routes, options: IngestOptions) {
    this.routes = routes;
    this.#options = options;
  }

  /** Tells whether so much of a source waits to be stored that more would not be answered in time. */
  isFull(source: string): boolean {
    return this.#queue.waiting(source) >= MOST_WAITING;
  }

  /** Drops all that waits for its turn: its senders are answered 503 and send it again. */
  giveUp(): void {
    this.#queue.refuseAll(new ServiceClosingError());
  }

  /** The number of deliveries of a source that wait for their turn to be stored. */
  waiting(source: string): number {
    return this.#queue.waiting(source);
  }

  /**
   * Resolves when every message is stored: by this call, before it, or meanwhile by another process. Many messages are stored in
   * slices; when one slice fails, the others stay stored, and their ids are known when the same call is made again.
   *
   * @param bytes about those of the messages as JSON, where they may be large
   * @returns those that were stored before
   * @throws StoreFullError, StoringElsewhereError, SourceGoneError, or what the storage throws; the same call may be made again.
   */
  take(source: string, messages: readonly Incoming[], bytes = 0): Promise<ReadonlySet<Incoming>> {
    const { tracing } = this.#options;
    if (tracing === undefined) return this.#take(source, messages, bytes);
    return tracing.ingest(source, messages.length, () => this.#take(source, messages, bytes));
  }

  async #take(source: string, messages: readonly Incoming[], bytes: number): Promise<ReadonlySet<Incoming>> {
    const { storage, tracing } = this.#options;
    storage.assertRoom();
    // It is read here, because a slice that waits for its turn begins in the context of another request.
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

  /** Waits until the other process has stored these messages, or takes what it has not. */
  async #outwait(taking: Taking, messages: readonly Incoming[]): Promise<void> {
    const { clock } = this.#options;
    const deadline = clock.now() + PATIENCE_MS;
    for (let left = messages; left.length > 0; left = await this.#takeInSlices(taking, left)) {
      if (clock.now() >= deadline) throw new StoringElsewhereError();
      await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
    }
  }

  /** Returns those that another process is storing. */
  async #takeInSlices(taking: Taking, messages: readonly Incoming[]): Promise<readonly Incoming[]> {
    const { source, bytesEach } = taking;
    const costEach = Math.max(1, enabledOf(this.#routeOf(source)).length, bytesEach / DELIVERY_BYTES);
    const take = (slice: readonly Incoming[]): Promise<readonly Incoming[]> =>
      this.#queue.run(source, Math.ceil(slice.length * costEach), () => this.#takeSlice(taking, slice));
    const length = Math.max(1, Math.floor(SLICE / costEach));
    if (messages.length <= length) return take(messages);
    return (await allDone(slicesOf(messages, length).map(take))).flat();
  }

  /** Waits until no destination of the route is being reopened, as these take nothing meanwhile. */
  async #takeSlice({ source, trace, known }: Taking, messages: readonly Incoming[]): Promise<readonly Incoming[]> {
    try {
      const epoch = await this.#options.deletedUsers.epoch();
      for (;;) {
        const route = this.#routeOf(source);
        const enabled = enabledOf(route);
        const closed = enabled.find((managed) => managed.opening !== undefined);
        // Without waiting in between, because a destination may be closed meanwhile.
        if (closed === undefined) return await this.#store(sliceOf({ route, enabled }, messages, trace), epoch, known);
        await closed.opening;
      }
    } catch (error) {
      this.#queue.refuse(source, error);
      throw error;
    }
  }

  /**
   * Returns those that another process is storing. Counts the others, and notes those that were stored before.
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
    // All of them are over when `storing` is.
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
    // The source has not sent a notification.
    if (messages[0]?.type !== 'delete') this.#options.counts.add(route.source, 'forwarded', forwarded);
  }

  #count({ route, enabled, blocked }: Slice, message: Incoming, goesOut: boolean): void {
    this.tally.received++;
    const isBlocked = blocked.has(message);
    if (isBlocked) this.tally.blocked++;
    else this.tally.skipped += route.managedDestinations.length - (goesOut ? enabled.length : 0);
    if (message.type === 'delete') return;
    const event = message.type === 'track' ? message.event : '';
    this.#options.counts.received(route.source, message.type, event, isBlocked);
    route.plan?.count(message);
  }

  #routeOf(source: string): Route {
    const route = this.routes.of(source);
    if (route === undefined) throw new SourceGoneError(source);
    return route;
  }
}

const enabledOf = (route: Route) => route.managedDestinations.filter(({ isEnabled }) => isEnabled);

const slicesOf = <T>(items: readonly T[], length: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  );

/** Prepares the messages that go out, each once for all destinations. */
function sliceOf({ route, enabled }: OpenRoute, incoming: readonly Incoming[], trace: Trace): Slice {
  const blocked = new Set(incoming.filter((message) => isHeldBack(route, message)));
  const goesOut = (message: Incoming): boolean => enabled.length > 0 && !blocked.has(message) && isMeant(message);
  const outgoing = incoming.filter(goesOut);
  const messages =
    outgoing.length === incoming.length ? incoming : [...outgoing, ...incoming.filter((each) => !goesOut(each))];
  const origin: Origin = trace === undefined ? { source: route.source } : { source: route.source, trace };
  const preparedEvents = outgoing.map((message) => {
    // The collector, or its maker in this service, has brought it into the canonical form.
    const prepared = prepareCanonical(message as CanonicalEvent);
    return { ...prepared, id: message.messageId, origin };
  });
  return { messages, preparedEvents, route, enabled, blocked };
}

/** A destination that gets the messages of a slice, and what its store is to keep of them. */
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

const isHeldBack = (route: Route, message: Incoming): boolean =>
  (message.type === 'track' && route.isBlocked(message.event)) || route.plan?.blocks(message) === true;

const integrationsOf = (message: Incoming): Integrations | undefined =>
  // The collector accepts an object or nothing; its values do not matter here.
  message.type === 'delete' ? undefined : (message.integrations as Integrations | undefined);
