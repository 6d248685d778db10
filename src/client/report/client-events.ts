import type { AttemptError, EventferryError } from '../../base/errors/errors.js';
import type { ViolationError } from '../../base/errors/violation-error.js';
import { checkListener } from '../../base/options/check-options.js';
import type { Message } from '../../protocol/message.js';
import type { JournalEvent } from '../journal/journal-event.js';

/** The payload of each event of a client. */
export interface AnalyticsEvents {
  /** A message was delivered to the collector. Emitted once for each. */
  delivered: { readonly message: Message };
  /** A message is lost. Emitted once for each, except for one that a `lost` listener tracks and that is lost at once. */
  lost: {
    /** Undefined if the call's argument could not become a message. */
    readonly message: Message | undefined;
    readonly error: EventferryError;
    /** The argument of the call, if it was the reason: printable, at most 200 characters. */
    readonly input?: string | undefined;
  };
  /** A message breaks the client's catalogue. It was sent or, with `onViolation: 'drop'`, is lost. */
  violation: { readonly message: Message; readonly error: ViolationError };
  /**
   * A batch is about to be sent: its id, the number of messages, and the size of its body before compression. Headers that a
   * listener puts into `headers` are sent with each request of the batch, in addition to the client's own.
   */
  flush: {
    readonly batch: string;
    readonly messages: number;
    readonly bytes: number;
    readonly headers: Record<string, string>;
  };
  /** An attempt failed and will be repeated: its number, from 1, and how long all sending pauses, in milliseconds. */
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

/** The names that other clients use for our events. */
const ELSEWHERE: Readonly<Record<string, string>> = { error: 'lost' };

/** @throws OptionError */
export const checkEvent = (event: unknown, listener: unknown): void =>
  checkListener('client', EVENTS, [event, listener], ELSEWHERE);
