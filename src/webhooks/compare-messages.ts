/** The fields by which messages are sorted. */
export interface Sortable {
  readonly timestamp: string;
  /** A `delete` has no id. */
  readonly messageId?: string | undefined;
}

/**
 * Compares messages for `sort`, by `timestamp` and then by `messageId`. The ids of eventferry's clients increase within a
 * process, so messages that one process sent in the same millisecond stay in the order of its calls.
 *
 * @example
 * events.sort(compareMessages);
 */
export function compareMessages(a: Sortable, b: Sortable): number {
  return compare(a.timestamp, b.timestamp) || compare(a.messageId ?? '', b.messageId ?? '');
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
