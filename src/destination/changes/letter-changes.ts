import { OptionError } from '../../base/errors/errors.js';
import { callback, checkOptions, type Rules, text } from '../../base/options/check-options.js';
import type { Clock } from '../../base/time/clock.js';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Cancelled, EventLog, Replayed } from '../../store/event-log.js';
import type { EventKey, EventStore, QueueKey } from '../../store/event-store.js';
import { cursorOf, queueKeyOf } from '../../store/queue-key.js';
import { ReplayTargetError } from '../destination-errors.js';
import type { DestinationParts } from '../destination-parts.js';
import type { KnownWebhooks } from '../endpoints/known-webhooks.js';
import type { Arrivals } from '../intake/arrivals.js';
import type { Erasure } from '../retention/erasure.js';
import { shownUrl } from '../sending/shown-url.js';
import { type BulkOptions, bulkRules, changeDeliveries } from './bulk.js';
import { letterKeys } from './dead-letters.js';
import { checkDiscard, type DeadLetterFilter, type DiscardFilter } from './delivery-filter.js';
import { MeantDeliveries } from './meant-deliveries.js';
import { AT_HEAD, isWaitingCursor, waitingCursorOf, waitingKeys } from './waiting-deliveries.js';

/** Options that decide where replayed dead letters go. */
export interface ReplayTo {
  /**
   * The webhook that receives the letters of webhooks that are no longer configured: its `id`, or its URL, either complete or as
   * it is shown. Not needed when only one webhook is configured. Letters of configured webhooks go to their own webhook.
   */
  sendTo?: string | undefined;
  /** Called when some letters are not replayed. */
  onSkipped?: ((why: Skipped, deliveries: number) => void) | undefined;
}

/** Why a replay skips a letter: its webhook is no longer configured, or already has the event or waits for it. */
export type Skipped = 'webhook-removed' | 'sent-already';

/** Hands an event over to another owner, who stores it as safely as a store does. */
export type Take = (event: StoredEvent, body: Uint8Array) => Promise<unknown>;

export interface LetterChangesOptions {
  readonly store: EventStore;
  readonly eventLog: EventLog;
  readonly clock: Pick<Clock, 'now' | 'after' | 'hold'>;
  readonly erasure: Erasure;
  /** Runs the change of one event, or throws if changes are no longer allowed. */
  run(change: () => Promise<number>): Promise<number>;
  /** Called with the deliveries of an event that wait again, and with their key. */
  onBegun(key: QueueKey, replayed: Replayed): void;
  /** Called with the deliveries of an event that no longer wait. */
  onCancelled(cancelled: Cancelled): void;
}

const LETTER_RULES = bulkRules((cursor) => queueKeyOf(cursor) !== undefined);
const REPLAY_RULES: Rules<BulkOptions & ReplayTo> = { ...LETTER_RULES, sendTo: text, onSkipped: callback };
const WAITING_RULES = bulkRules(isWaitingCursor);
const DISCARD = { door: 'destination', example: 'discard({ id }, { rate: 100 })' } as const;

/** Replays and discards dead letters, and discards waiting deliveries. */
export class LetterChanges {
  readonly #options: LetterChangesOptions;

  constructor(options: LetterChangesOptions) {
    this.#options = options;
  }

  /**
   * @returns how many deliveries were restarted
   * @throws OptionError, and ReplayTargetError after all other deliveries were restarted
   */
  async replay(known: KnownWebhooks, filter: DeadLetterFilter, given: BulkOptions & ReplayTo): Promise<number> {
    const check = { door: 'destination', example: "replay({ id }, { sendTo: 'crm' })" } as const;
    const options = checkOptions(given, REPLAY_RULES, check);
    const { sendTo, onSkipped } = options;
    const { store, eventLog, clock, erasure, onBegun } = this.#options;
    if (sendTo !== undefined && !known.isConfigured(sendTo))
      throw new OptionError(
        'destination',
        'sendTo',
        'the id or the URL of a webhook that is configured',
        'another text',
      );
    // The webhooks whose letters are not replayed.
    const left = new Set<string>();
    const count = await this.#change(known, filter, options, async (key, keysIn) => {
      const now = clock.now();
      if (await erasure.erase(key)) return [];
      const at = store.placeFor(now);
      const replayed = await eventLog.replay(key, keysIn, (from) => known.targetOf(from, sendTo), at);
      onBegun({ ...key, at }, replayed);
      for (const webhook of replayed.left) left.add(webhook);
      if (replayed.left.length > 0) onSkipped?.('webhook-removed', replayed.left.length);
      if (replayed.sent.length > 0) onSkipped?.('sent-already', replayed.sent.length);
      return replayed.begun;
    });
    if (left.size === 0) return count;
    const urls = [...new Set([...left].map((webhook) => shownUrl(known.urlOf(webhook))))];
    const webhooks = known.configured?.map(({ id, url }) => id ?? shownUrl(url)) ?? [];
    throw new ReplayTargetError({ replayed: count, urls, webhooks });
  }

  /**
   * @param take is given each event before it is discarded
   * @returns how many deliveries were discarded
   * @throws OptionError, and whatever `take` throws
   */
  async discard(known: KnownWebhooks, given: DiscardFilter, options: BulkOptions, take?: Take): Promise<number> {
    const { state, ...filter } = checkDiscard(given);
    if (state === 'waiting') {
      checkOptions(options, WAITING_RULES, DISCARD);
      const meant = new MeantDeliveries(filter, known);
      return take === undefined ? this.#cancel(meant, options) : this.#cancelInOrder(meant, options, take);
    }
    checkOptions(options, LETTER_RULES, DISCARD);
    return this.#change(known, filter, options, async (key, keysIn) =>
      (await this.#isTaken(key, take)) ? this.#options.eventLog.discard(key, keysIn) : [],
    );
  }

  /** Discards what was accepted before its user was deleted, waiting or dead, except the notification of the deletion. */
  async forget(known: KnownWebhooks, user: readonly string[], signal: AbortSignal): Promise<number> {
    const { store, clock, run, erasure, eventLog } = this.#options;
    const meant = new MeantDeliveries({ user }, known);
    const isErased = async (key: EventKey): Promise<boolean> => {
      const event = await store.event(key.id, key.partition);
      // The previous id of an alias is only in its body, so the body of every alias is read.
      const mayBe = event !== undefined && (event.type === 'alias' || meant.waitingIn(event).length > 0);
      return mayBe && erasure.erase(key);
    };
    const waiting = await changeDeliveries({
      ...{ store, clock, options: { signal }, cursorOf: waitingCursorOf },
      keys: (cursor, size) => waitingKeys(store, meant, cursor, size),
      change: (key) => run(async () => Number(await isErased(key))),
    });
    const forget = (filter: DeadLetterFilter): Promise<number> =>
      this.#change(known, filter, { signal }, async (key, keysIn) =>
        (await erasure.covers(key)) ? eventLog.discard(key, keysIn) : [],
      );
    const dead = await forget({ user });
    const { deliveries } = await store.deadTotals();
    const hasAlias = deliveries.some(({ type }) => type === 'alias');
    return waiting + dead + (hasAlias ? await forget({ type: 'alias' }) : 0);
  }

  #change(
    known: KnownWebhooks,
    filter: DeadLetterFilter,
    options: BulkOptions,
    act: (key: EventKey, keysIn: (event: StoredEvent) => string[]) => Promise<readonly string[]>,
  ): Promise<number> {
    const { store, clock, run } = this.#options;
    const meant = new MeantDeliveries(filter, known);
    const keysIn = (event: StoredEvent): string[] => meant.in(event).map(([key]) => key);
    const change = (key: EventKey): Promise<number> =>
      run(async () => ((await meant.isNamed(store, key)) ? (await act(key, keysIn)).length : 0));
    return changeDeliveries({
      ...{ store, clock, options, change, cursorOf },
      keys: (cursor, size) => letterKeys(store, meant, cursor === undefined ? undefined : queueKeyOf(cursor), size),
    });
  }

  /** Returns true if the event may be discarded. If `take` is given, that is only the case once `take` has resolved. */
  async #isTaken(key: EventKey, take: Take | undefined): Promise<boolean> {
    if (take === undefined) return true;
    const { store, erasure } = this.#options;
    if (await erasure.erase(key)) return false;
    const [event, body] = await Promise.all([store.event(key.id, key.partition), store.body(key.id, key.partition)]);
    if (event === undefined || body === undefined) return false;
    await take(event, body);
    return true;
  }

  /**
   * Discards deliveries that wait behind no other, and repeats this, because the next deliveries of ordered users then move to the
   * front. This discards the messages of each user in order. Deliveries behind one that does not match come last.
   */
  async #cancelInOrder(meant: MeantDeliveries, options: BulkOptions, take: Take): Promise<number> {
    const { after, onProgress, ...others } = options;
    let total = 0;
    const cancel = async (from: string | undefined, positions?: typeof AT_HEAD): Promise<number> => {
      const before = total;
      const count = await this.#cancel(
        meant,
        {
          ...others,
          ...(from !== undefined && { after: from }),
          onProgress: (done) => onProgress?.({ ...done, deliveries: before + done.deliveries }),
        },
        take,
        positions,
      );
      total += count;
      return count;
    };
    for (let from = after; (await cancel(from, AT_HEAD)) > 0 && !options.signal?.aborted; ) from = undefined;
    await cancel(undefined);
    return total;
  }

  #cancel(meant: MeantDeliveries, options: BulkOptions, take?: Take, positions?: typeof AT_HEAD): Promise<number> {
    const { store, clock, run, eventLog, onCancelled } = this.#options;
    return changeDeliveries({
      ...{ store, clock, options, cursorOf: waitingCursorOf },
      keys: (cursor, size) => waitingKeys(store, meant, cursor, size, positions),
      change: (key) =>
        run(async () => {
          const urls = (event: StoredEvent): string[] =>
            meant.waitingIn(event).flatMap(([url]) => (url === key.webhook ? url : []));
          const mayBe = (await meant.isNamed(store, key)) && (await this.#isTaken(key, take));
          const cancelled = mayBe ? await eventLog.cancel(key, urls) : undefined;
          if (cancelled !== undefined) onCancelled(cancelled);
          return cancelled?.urls.length ?? 0;
        }),
    });
  }
}

/** Creates the `LetterChanges` of a destination from its store and its endpoints. */
export const lettersOf = (
  { options, clock, eventLog, endpoints, reports }: DestinationParts,
  arrivals: Arrivals,
): LetterChanges =>
  new LetterChanges({
    store: options.store,
    eventLog,
    clock,
    erasure: endpoints.erasure,
    run: (change) => {
      arrivals.assertOpen();
      return arrivals.whileOpen(change());
    },
    onBegun: (key, { begun, isOrdered }) => {
      for (const url of begun) endpoints.get(url)?.accept(key, isOrdered);
      reports.counters.replayed += begun.length;
    },
    onCancelled: (cancelled) => endpoints.cancelled(cancelled),
  });
