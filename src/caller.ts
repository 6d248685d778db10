import type { Alias } from './messages/alias.js';
import type { Defaults } from './messages/draft.js';
import type { Group } from './messages/group.js';
import type { Identify } from './messages/identify.js';
import { messageTypes } from './messages/message.js';
import type { MessageType } from './messages/message-type.js';
import type { Page } from './messages/page.js';
import type { Screen } from './messages/screen.js';
import type { Track } from './messages/track.js';
import { resolveDefaults } from './options.js';
import type { Receipt } from './queue/receipt.js';

/** Someone: every call but `alias` needs to know who. */
export type Identity = { userId: string } | { anonymousId: string };

/** Takes one message of a type from a call. */
export type Take = (type: MessageType, message: unknown, defaults: Defaults) => Receipt;

/**
 * The six calls. Each checks its message, queues it and returns at once.
 *
 * Each throws `ValidationError` when the message is wrong, `MessageTooLargeError` when it is over 32,000 bytes as JSON, and
 * `ClosedError` after `close()`; then nothing was accepted. All that happens later is told by the receipt, the events and
 * the counters.
 */
export class Caller<Who = unknown> {
  readonly #take: Take;
  readonly #defaults: Defaults;

  /** @internal */
  constructor(take: Take, defaults: Defaults) {
    this.#take = take;
    this.#defaults = defaults;
  }

  /** Who a user is. */
  identify(message: Identify & Who): Receipt {
    return this.#take(messageTypes.identify, message, this.#defaults);
  }

  /** Something a user did. */
  track(message: Track & Who): Receipt {
    return this.#take(messageTypes.track, message, this.#defaults);
  }

  /** A user saw a page of a website. */
  page(message: Page & Who): Receipt {
    return this.#take(messageTypes.page, message, this.#defaults);
  }

  /** A user saw a screen of an app. */
  screen(message: Screen & Who): Receipt {
    return this.#take(messageTypes.screen, message, this.#defaults);
  }

  /** A user belongs to a company, a team, an account. */
  group(message: Group & Who): Receipt {
    return this.#take(messageTypes.group, message, this.#defaults);
  }

  /** Two ids are one person. */
  alias(message: Alias): Receipt {
    return this.#take(messageTypes.alias, message, this.#defaults);
  }

  /**
   * The same calls, with these fields filled in where a message does not have them; `context` and `integrations` are merged
   * key by key. A child shares the queue, the counters and the end of its client, and costs next to nothing: make one for
   * each request your app serves.
   *
   * @throws OptionError
   * @example
   * const user = analytics.child({ userId: 'u1', context: { ip: request.ip } });
   * user.track({ event: 'Order Completed' });
   */
  child(defaults: Defaults): Caller {
    return new Caller(this.#take, resolveDefaults(defaults, this.#defaults));
  }
}
