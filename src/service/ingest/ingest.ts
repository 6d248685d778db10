import type { Clock } from '../../clock.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import type { Origin } from '../../delivery/completion-rule.js';
import type { DeleteNotification, Deliverable } from '../../delivery/deliverable.js';
import { type PreparedEvent, prepareEvent } from '../../destination/prepared-event.js';
import { isWanted } from '../../destination/routing.js';
import type { Integrations } from '../../protocol/integrations.js';
import type { Claim, MessageIdStore } from '../../store/message-id-store.js';
import { allDone } from '../all-done.js';
import type { Route, Routes } from '../routing/routes.js';
import type { Counts } from './counts.js';
import { ServiceClosingError, SourceGoneError, StoringElsewhereError } from './errors.js';
import { FairQueue } from './fair-queue.js';

/** A message of a source, or a notification to delete a user. */
export type Incoming = ReceivedMessage | (DeleteNotification & { readonly messageId: string });

export interface IngestOptions {
  readonly messageIds: MessageIdStore;
  readonly counts: Counts;
  readonly clock: Clock;
  routes(): Routes;
  /** That of the caller. */
  trace(): Trace;
  /** @throws StoreFullError when there is no room for new events. */
  assertRoom(): void;
  /** Resolves once earlier writes are as durable as the storage makes them. */
  readonly settled?: (() => Promise<void>) | undefined;
}

/** W3C's `traceparent`, if there is one. */
type Trace = string | undefined;

/** Outcomes of the messages since the start. */
export interface Tally {
  received: number;
  duplicates: number;
  blocked: number;
  forwarded: number;
  /** Deliveries left out: the destination is not enabled, or the message's integrations exclude it. */
  skipped: number;
}

/** A slice of messages whose deliveries are stored, and whose ids are not kept yet. */
interface Stored {
  readonly fresh: readonly Incoming[];
  readonly skipped: number;
  /** Being stored by another request. */
  readonly elsewhere: readonly Incoming[];
  readonly duplicates: number;
}

/** How long another request has to store the same messages, and how often this one looks whether it has, in ms. */
const PATIENCE_MS = 5_000;
const LOOK_MS = 100;

/**
 * How many deliveries are stored together, and how many are on their way into the store at a time. A delivery takes some
 * kilobytes until it is stored, so this bounds the memory, however much has come in.
 */
const SLICE = 256;
const MAX_RUNNING = 1_024;

/** About as many as are stored in ten seconds: many clients wait no longer for an answer. */
const MOST_WAITING = 100_000;

/** Takes each id of a source once, and gives what it takes to the destinations it is for. */
export class Ingest {
  readonly tally: Tally = { received: 0, duplicates: 0, blocked: 0, forwarded: 0, skipped: 0 };
  readonly #options: IngestOptions;
  readonly #queue = new FairQueue({ maxRunning: MAX_RUNNING, quantum: SLICE });

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  /** Whether so much of a source waits to be stored that more would not be answered in time. */
  isFull(source: string): boolean {
    return this.waiting(source) >= MOST_WAITING;
  }

  /** Drops all that waits for its turn: its senders are answered 503 and send it again. */
  giveUp(): void {
    this.#queue.refuseAll(new ServiceClosingError());
  }

  /** How many deliveries of a source wait for their turn to be stored. */
  waiting(source: string): number {
    return this.#queue.waiting(source);
  }

  /**
   * Resolves when every message is stored: by this call, before it, or meanwhile by another process. The deliveries are stored
   * before the ids, so that a crash in between makes a repetition and never a loss. Many messages are stored in slices; when one
   * slice fails, the others stay stored, and their ids are known when the same call is made again.
   *
   * @throws StoreFullError, StoringElsewhereError, SourceGoneError, or what the storage throws; the same call may be made again.
   */
  async take(source: string, messages: readonly Incoming[]): Promise<void> {
    const { clock, assertRoom } = this.#options;
    assertRoom();
    // Read here: a slice that waits for its turn begins in the context of another request.
    const trace = this.#options.trace();
    let left = await this.#takeInSlices(source, messages, trace);
    const deadline = clock.now() + PATIENCE_MS;
    while (left.length > 0) {
      if (clock.now() >= deadline) throw new StoringElsewhereError();
      await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
      left = await this.#takeInSlices(source, left, trace);
    }
    await this.#options.settled?.();
  }

  /** Returns those that another request is storing. */
  async #takeInSlices(source: string, messages: readonly Incoming[], trace: Trace): Promise<readonly Incoming[]> {
    const receivers = Math.max(1, enabledOf(this.#routeOf(source)).length);
    const slices = slicesOf(messages, Math.max(1, Math.floor(SLICE / receivers)));
    const elsewhere = slices.map((slice) => this.#takeInTurn(source, slice, receivers, trace));
    return (await allDone(elsewhere)).flat();
  }

  async #takeInTurn(source: string, messages: readonly Incoming[], receivers: number, trace: Trace) {
    const stored = await this.#queue.run(source, messages.length * receivers, () =>
      this.#orRefuse(source, () => this.#storeFree(source, messages, trace)),
    );
    // The memory of the deliveries is free by now: the next slice need not wait for the ids.
    await this.#orRefuse(source, () => this.#keep(source, stored));
    return stored.elsewhere;
  }

  async #orRefuse<T>(source: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      this.#queue.refuse(source, error);
      throw error;
    }
  }

  /** Stores the deliveries of those that no other request is storing. */
  async #storeFree(source: string, messages: readonly Incoming[], trace: Trace): Promise<Stored> {
    const { messageIds, clock } = this.#options;
    const claims = await messageIds.claim(source, idsOf(messages), clock.now());
    const only = (claim: Claim): readonly Incoming[] => messages.filter((_, index) => claims[index] === claim);
    const fresh = claims.every((claim) => claim === 'new') ? messages : only('new');
    const skipped =
      fresh.length === 0 ? 0 : await this.#orRelease(source, fresh, () => this.#forward(source, fresh, trace));
    return { fresh, skipped, elsewhere: only('claimed'), duplicates: only('kept').length };
  }

  async #keep(source: string, { fresh, skipped, duplicates }: Stored): Promise<void> {
    const { messageIds, clock } = this.#options;
    if (fresh.length > 0) {
      await this.#orRelease(source, fresh, () => messageIds.keep(source, idsOf(fresh), clock.now()));
      this.#count(source, fresh);
    }
    this.tally.skipped += skipped;
    this.tally.received += fresh.length;
    this.tally.duplicates += duplicates;
  }

  /** Without a release the same messages would be refused until the claim is over. */
  async #orRelease<T>(source: string, claimed: readonly Incoming[], act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      await this.#options.messageIds.release(source, idsOf(claimed)).catch(() => {});
      throw error;
    }
  }

  /** Returns how many deliveries it skipped, as the destination is not enabled or left out. */
  async #forward(source: string, messages: readonly Incoming[], trace: Trace): Promise<number> {
    const route = this.#routeOf(source);
    const enabled = enabledOf(route);
    const origin: Origin = trace === undefined ? { source: route.source } : { source: route.source, trace };
    const { preparedEvents, skipped } = preparedEventsOf(route, enabled.length, origin, messages);
    if (preparedEvents.length === 0) return skipped;
    const stored = await allDone(enabled.map((managed) => managed.deliverAll(preparedEvents)));
    const forwarded = stored.reduce((sum, count) => sum + count, 0);
    this.tally.forwarded += forwarded;
    // The source has not sent a notification.
    if (messages[0]?.type !== 'delete') this.#options.counts.add(route.source, 'forwarded', forwarded);
    return skipped;
  }

  #count(source: string, messages: readonly Incoming[]): void {
    const route = this.#options.routes().of(source);
    for (const message of messages) {
      if (message.type === 'delete') continue;
      const isBlocked = route !== undefined && isHeldBack(route, message);
      if (isBlocked) this.tally.blocked++;
      this.#options.counts.received(source, message.type, message.type === 'track' ? message.event : '', isBlocked);
    }
  }

  #routeOf(source: string): Route {
    const route = this.#options.routes().of(source);
    if (route === undefined) throw new SourceGoneError(source);
    return route;
  }
}

const idsOf = (messages: readonly Incoming[]): string[] => messages.map(({ messageId }) => messageId);

const enabledOf = (route: Route) => route.managedDestinations.filter(({ isEnabled }) => isEnabled);

function slicesOf<T>(items: readonly T[], length: number): (readonly T[])[] {
  if (items.length <= length) return [items];
  return Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  );
}

/** The events of all receivers: the body of a message is built once. */
function preparedEventsOf(route: Route, receivers: number, origin: Origin, messages: readonly Incoming[]) {
  const preparedEvents: PreparedEvent[] = [];
  let skipped = 0;
  for (const message of messages) {
    if (isHeldBack(route, message)) continue;
    const isMeant = isWanted(integrationsOf(message));
    skipped += route.managedDestinations.length - (isMeant ? receivers : 0);
    if (!isMeant || receivers === 0) continue;
    // The collector, or its maker in this service, has checked what a destination needs of it.
    const { type, body } = prepareEvent(message as Deliverable);
    preparedEvents.push({ id: message.messageId, type, body, origin });
  }
  return { preparedEvents, skipped };
}

const isHeldBack = (route: Route, message: Incoming): boolean =>
  message.type === 'track' && route.isBlocked(message.event);

const integrationsOf = (message: Incoming): Integrations | undefined =>
  // The collector accepts an object or nothing; its values do not matter here.
  message.type === 'delete' ? undefined : (message.integrations as Integrations | undefined);
