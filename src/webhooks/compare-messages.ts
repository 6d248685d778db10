/** What tells two messages apart in time. */
export interface Sortable {
  readonly timestamp: string;
  /** A `delete` has none. */
  readonly messageId?: string | undefined;
}

/**
 * The order in which messages happened, for `sort`: by `timestamp`, then by `messageId`. The ids of our clients grow within a process, so that
 * what one process sent within one millisecond is in the order of its calls.
 *
 * @example
 * events.sort(compareMessages);
 */
export function compareMessages(a: Sortable, b: Sortable): number {
  return compare(a.timestamp, b.timestamp) || compare(a.messageId ?? '', b.messageId ?? '');
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
