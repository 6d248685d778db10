import { OptionError } from '../base/errors/errors.js';
import { checkOptions, type Rules, text } from '../base/options/check-options.js';
import type { Clock } from '../base/time/clock.js';
import type { StoredEvent } from '../delivery/completion-rule.js';
import type { EventLog, Replayed } from '../store/event-log.js';
import type { EventKey, EventStore, QueueKey } from '../store/event-store.js';
import { BULK_RULES, type BulkOptions, changeLetters } from './bulk.js';
import { type DeadLetterFilter, MeantLetters } from './dead-letters.js';
import type { Erasure } from './erasure.js';
import { ReplayTargetError } from './errors.js';
import type { KnownWebhooks } from './known-webhooks.js';
import { shownUrl } from './shown-url.js';

/** Where dead letters go. */
export interface ReplayTo {
  /**
   * The webhook that gets the letters of those which are configured no more: its `id`, or its URL, whole or as it is shown. Not
   * needed where only one is configured. The letters of the others go where their own webhook points.
   */
  sendTo?: string | undefined;
}

/** Where each of the dead letters that are replayed goes. */
class ReplayTargets {
  readonly #known: KnownWebhooks;
  readonly #sendTo: string | undefined;
  readonly #left = new Set<string>();

  /** @throws OptionError when `sendTo` does not mean one webhook that is configured */
  constructor(known: KnownWebhooks, sendTo: string | undefined) {
    this.#known = known;
    this.#sendTo = sendTo;
    if (sendTo === undefined || known.isConfigured(sendTo)) return;
    throw new OptionError('destination', 'sendTo', 'the id or the URL of a webhook that is configured', 'another text');
  }

  readonly of = (key: string): string | undefined => this.#known.targetOf(key, this.#sendTo);

  /** Takes note of webhooks whose letters stay. */
  note(left: readonly string[]): void {
    for (const key of left) this.#left.add(key);
  }

  /** @throws ReplayTargetError when letters stay */
  end(replayed: number): void {
    if (this.#left.size === 0) return;
    const urls = [...new Set([...this.#left].map((key) => shownUrl(this.#known.urlOf(key))))];
    const webhooks = this.#known.configured?.map(({ id, url }) => id ?? shownUrl(url)) ?? [];
    throw new ReplayTargetError({ replayed, urls, webhooks });
  }
}

export interface LetterChangesOptions {
  readonly store: EventStore;
  readonly eventLog: EventLog;
  readonly clock: Pick<Clock, 'now' | 'after' | 'hold'>;
  readonly erasure: Erasure;
  /** Runs the change of one event, unless no more may be changed. */
  run(change: () => Promise<number>): Promise<number>;
  /** Told which deliveries of an event wait again, and under which key. */
  onBegun(key: QueueKey, replayed: Replayed): void;
}

const REPLAY_RULES: Rules<BulkOptions & ReplayTo> = { ...BULK_RULES, sendTo: text };

/** Replays and discards dead letters, be it one or very many. */
export class LetterChanges {
  readonly #options: LetterChangesOptions;

  constructor(options: LetterChangesOptions) {
    this.#options = options;
  }

  /**
   * @returns how many deliveries began anew.
   * @throws OptionError, and ReplayTargetError once all others began anew.
   */
  async replay(known: KnownWebhooks, filter: DeadLetterFilter, options: BulkOptions & ReplayTo): Promise<number> {
    checkOptions(options, REPLAY_RULES, { door: 'destination', example: "replay({ id }, { sendTo: 'crm' })" });
    const { sendTo } = options;
    const { store, eventLog, clock, erasure, onBegun } = this.#options;
    const targets = new ReplayTargets(known, sendTo);
    const count = await this.#change(known, filter, options, async (key, keysIn) => {
      const now = clock.now();
      if (await erasure.erase(key)) return [];
      const at = store.placeFor?.(now) ?? now;
      const replayed = await eventLog.replay(key, keysIn, targets.of, at);
      onBegun({ ...key, at }, replayed);
      targets.note(replayed.left);
      return replayed.begun;
    });
    targets.end(count);
    return count;
  }

  /**
   * @returns how many dead deliveries there were.
   * @throws OptionError
   */
  async discard(known: KnownWebhooks, filter: DeadLetterFilter, options: BulkOptions): Promise<number> {
    checkOptions(options, BULK_RULES, { door: 'destination', example: 'discard({ id }, { rate: 100 })' });
    return this.#change(known, filter, options, (key, keysIn) => this.#options.eventLog.discard(key, keysIn));
  }

  /** Lets go of the dead letters of users who were deleted, accepted before; but not of a notification, which says that one was. */
  async forget(known: KnownWebhooks, user: readonly string[], signal: AbortSignal): Promise<number> {
    const { erasure, eventLog } = this.#options;
    return this.#change(known, { user }, { signal }, async (key, keysIn) =>
      (await erasure.covers(key)) ? eventLog.discard(key, keysIn) : [],
    );
  }

  #change(
    known: KnownWebhooks,
    filter: DeadLetterFilter,
    options: BulkOptions,
    act: (key: EventKey, keysIn: (event: StoredEvent) => string[]) => Promise<readonly string[]>,
  ): Promise<number> {
    const { store, clock, run } = this.#options;
    const meant = new MeantLetters(filter, known);
    const keysIn = (event: StoredEvent): string[] => meant.in(event).map(([key]) => key);
    const change = (key: EventKey): Promise<number> => run(async () => (await act(key, keysIn)).length);
    return changeLetters({ store, clock, meant, options, change });
  }
}
