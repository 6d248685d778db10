import type { JournalError } from '../../base/errors/journal-errors.js';

/** An event of a journal, which the client hands on to its listeners. */
export type JournalEvent =
  /** The journal cannot write. New messages are in memory alone; the journal tries again every second. */
  | { readonly kind: 'failing'; readonly error: JournalError }
  /** The journal holds all waiting messages again. */
  | { readonly kind: 'storing' }
  /** This client has taken over so many messages of clients that have ended. */
  | { readonly kind: 'recovered'; readonly messages: number }
  /** This number of messages cannot be read, or a whole folder; the files stay where they are. */
  | { readonly kind: 'damaged'; readonly messages: number; readonly error: JournalError }
  /** Clients of another source have left so many messages. They stay for a client with that write key. */
  | { readonly kind: 'foreign'; readonly messages: number; readonly error: JournalError }
  /** This number of the client's own messages cannot be read back, so they are lost. */
  | { readonly kind: 'unreadable'; readonly messages: number; readonly error: JournalError }
  /** Dead letters, or what is left of damaged messages, cannot be written. They wait in memory, up to a bound; what is accepted is stored all the same. A message that was stored and has no dead letter when its client ends is sent again by the next one. Told once until they are. */
  | { readonly kind: 'unkept'; readonly error: JournalError }
  /** The journal removed so many of the oldest dead letters: there were too many, or they were too old. */
  | { readonly kind: 'dropped'; readonly messages: number };
