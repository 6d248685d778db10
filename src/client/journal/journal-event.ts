import type { JournalError } from '../../base/errors/journal-errors.js';

/** An event of a journal, which the client hands on to its listeners. */
export type JournalEvent =
  /** The journal cannot write. New messages are only in memory; the journal tries again every second. */
  | { readonly kind: 'failing'; readonly error: JournalError }
  /** The journal holds all waiting messages again. */
  | { readonly kind: 'storing' }
  /** This client has taken over this number of messages of clients that have ended. */
  | { readonly kind: 'recovered'; readonly messages: number }
  /** This number of messages of earlier clients cannot be read. With 0, a folder or a note cannot be read now. */
  | { readonly kind: 'damaged'; readonly messages: number; readonly error: JournalError }
  /** Clients with another write key have left this number of messages. They stay for a client with that key. */
  | { readonly kind: 'foreign'; readonly messages: number; readonly error: JournalError }
  /** The client cannot read back this number of its own messages, so they are lost. */
  | { readonly kind: 'unreadable'; readonly messages: number; readonly error: JournalError }
  /**
   * Dead letters, or what is left of damaged messages, cannot be written. They wait in memory, up to a limit, and new messages
   * are still stored. If the client ends before it has written a letter, the next client sends that message again. Reported once
   * until a write succeeds.
   */
  | { readonly kind: 'unkept'; readonly error: JournalError }
  /** The journal removed this number of the oldest dead letters, because there were too many or they were too old. */
  | { readonly kind: 'dropped'; readonly messages: number };
