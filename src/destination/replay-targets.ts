import { OptionError } from '../errors.js';
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
export class ReplayTargets {
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
