import type { AttemptError, EventferryError } from '../../base/errors/errors.js';
import type { ViolationError } from '../../base/errors/violation-error.js';
import { checkListener } from '../../base/options/check-options.js';
import type { Message } from '../../protocol/message.js';
import type { JournalEvent } from '../journal/journal-event.js';

/** The payload of each event of a client. */
export interface AnalyticsEvents {
  /** A message has reached the collector. Once for each. */
  delivered: { readonly message: Message };
  /** A message is lost, and why. Once for each, but for one that a `lost` listener itself tracks and that is lost at once. */
  lost: {
    /** Undefined where a call was given what no message can be made of. */
    readonly message: Message | undefined;
    readonly error: EventferryError;
    /** The argument of the call, where that is the reason: printable, at most 200 characters. */
    readonly input?: string | undefined;
  };
  /** A message breaks the catalogue of the client. It was sent, with `onViolation: 'drop'` it is lost. */
  violation: { readonly message: Message; readonly error: ViolationError };
  /**
   * A batch leaves: its id, how many messages, and the bytes of its body before compression. What a listener puts into `headers` goes
   * out with each request of the batch, beside the client's own.
   */
  flush: {
    readonly batch: string;
    readonly messages: number;
    readonly bytes: number;
    readonly headers: Record<string, string>;
  };
  /** An attempt failed and will be repeated: which one, from 1, and for how many milliseconds all sending pauses. */
  retry: {
    readonly batch: string;
    readonly messages: number;
    readonly attempt: number;
    readonly delayMs: number;
    readonly error: AttemptError;
  };
  /** Something happened to the journal. */
  journal: JournalEvent;
}

const EVENTS: readonly string[] = [
  'delivered',
  'lost',
  'violation',
  'flush',
  'retry',
  'journal',
] satisfies (keyof AnalyticsEvents)[];

/** The names that other clients have for our events. */
const ELSEWHERE: Readonly<Record<string, string>> = { error: 'lost' };

/** @throws OptionError */
export const checkEvent = (event: unknown, listener: unknown): void =>
  checkListener('client', EVENTS, [event, listener], ELSEWHERE);
