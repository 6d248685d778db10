import type { JournalError } from '../../journal-errors.js';

/** What a journal tells its client, and the client its listeners. */
export type JournalEvent =
  /** What is accepted now is in memory alone: it could not be written, and is tried again every second. */
  | { readonly kind: 'failing'; readonly error: JournalError }
  /** All that waits is in the journal again. */
  | { readonly kind: 'storing' }
  /** So many messages of clients that live no more are this one's now. */
  | { readonly kind: 'recovered'; readonly messages: number }
  /** So many messages cannot be read, or a whole folder, which stays where it is. */
  | { readonly kind: 'damaged'; readonly messages: number; readonly error: JournalError }
  /** So many messages of this client's own cannot be read back, and are lost. */
  | { readonly kind: 'unreadable'; readonly messages: number; readonly error: JournalError }
  /** So many dead letters went, the oldest, as there were too many or they were too old. */
  | { readonly kind: 'dropped'; readonly messages: number };
