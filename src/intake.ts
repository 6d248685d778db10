import { runBefore } from './before.js';
import { EventferryError, FilteredError, HookError, QueueFullError } from './errors.js';
import { type Defaults, draft, type Stamp } from './messages/draft.js';
import type { Message } from './messages/message.js';
import type { MessageType } from './messages/message-type.js';
import { explainUnserialisable } from './messages/unserialisable.js';
import type { ResolvedOptions } from './options.js';
import type { Batcher } from './queue/batcher.js';
import { encode } from './queue/encode.js';
import type { Ledger } from './queue/ledger.js';
import { QueuedReceipt, type Receipt, RefusedReceipt } from './queue/receipt.js';
import type { Reporter } from './reporter.js';

export interface IntakeOptions extends Pick<ResolvedOptions, 'before' | 'enabled' | 'maxQueueBytes'> {
  readonly stamp: Stamp;
  readonly ledger: Ledger;
  readonly batcher: Batcher;
  readonly reporter: Reporter;
}

/** From a call to a receipt: the message is checked, written and queued, or it ends here. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #hasHooks: boolean;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#hasHooks = options.before.length > 0;
  }

  /** @throws ValidationError, MessageTooLargeError */
  take(type: MessageType, input: unknown, defaults: Defaults): Receipt {
    const message = this.#draft(type, input, defaults);
    if (this.#hasHooks) return this.#takeThroughHooks(type, message);
    return this.#enqueue(message);
  }

  #draft(type: MessageType, input: unknown, defaults: Defaults): Message {
    try {
      return draft(type, input, defaults, this.#options.stamp);
    } catch (error) {
      throw error instanceof EventferryError ? error : explainUnserialisable(type.name, input, error);
    }
  }

  #takeThroughHooks(type: MessageType, message: Message): Receipt {
    let changed: Message;
    try {
      changed = runBefore(this.#options.before, type, message, this.#options.stamp);
    } catch (error) {
      if (error instanceof FilteredError) return this.#filter(message, error);
      if (error instanceof HookError) return this.#refuse(message, error);
      throw error;
    }
    return this.#enqueue(changed);
  }

  #enqueue(message: Message): Receipt {
    const { enabled, batcher, ledger, maxQueueBytes, reporter } = this.#options;
    const json = encode(message);
    if (!enabled) return this.#filter(message, new FilteredError('The client is not enabled'));
    const batch = batcher.add(json);
    if (batch === undefined) return this.#refuse(message, new QueueFullError(ledger.pendingBytes, maxQueueBytes));
    reporter.accepted(message, json);
    return new QueuedReceipt(message.messageId, batch.endings, batch.count - 1);
  }

  #filter(message: Message, error: FilteredError): Receipt {
    this.#options.ledger.filtered++;
    this.#options.reporter.filtered(message);
    return new RefusedReceipt(message.messageId, error);
  }

  #refuse(message: Message, error: HookError | QueueFullError): Receipt {
    this.#options.ledger.refuse(error.code);
    this.#options.reporter.refused(message, error);
    return new RefusedReceipt(message.messageId, error);
  }
}
