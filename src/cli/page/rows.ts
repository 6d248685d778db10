import type { BatchEntry, DeliveryEntry, Entry, MessageEntry, RejectedEntry } from '../dev/entry.js';
import { make, setText } from './dom.js';
import { formatBytes, formatCount, formatDuration, formatTime, titleOf, userOf, withoutScheme } from './format.js';

/** How an entry looks in its list: its cells, by class, and what each says. */
export interface RowStyle<E extends Entry> {
  readonly cells: readonly string[];
  texts(entry: E): readonly string[];
  /** The look of the second cell, the badge. */
  badge(entry: E): string;
}

export const messageRows: RowStyle<MessageEntry> = {
  cells: ['time', 'badge', 'title', 'user', 'source', 'size end'],
  texts: ({ receivedAt, message, source, bytes }) => [
    formatTime(receivedAt),
    String(message['type']),
    titleOf(message),
    userOf(message),
    source,
    formatBytes(bytes),
  ],
  badge: ({ message }) => String(message['type']),
};

export const rejectedRows: RowStyle<RejectedEntry> = {
  cells: ['time', 'badge', 'title', 'source'],
  texts: ({ receivedAt, code, reason, source }) => [formatTime(receivedAt), code, reason, source || 'unknown'],
  badge: () => 'bad',
};

export const batchRows: RowStyle<BatchEntry> = {
  cells: ['time', 'badge', 'title', 'number end', 'number end', 'number end', 'number end'],
  texts: ({ receivedAt, status, client, messages, bytes, wireBytes, attempt }) => [
    formatTime(receivedAt),
    String(status),
    client || 'unknown client',
    formatCount(messages),
    formatBytes(bytes),
    formatBytes(wireBytes),
    String(attempt),
  ],
  badge: ({ status }) => (status < 300 ? 'good' : 'bad'),
};

export const deliveryRows: RowStyle<DeliveryEntry> = {
  cells: ['time', 'badge', 'title', 'user', 'number end', 'number end', 'size end'],
  texts: (entry) => [
    formatTime(entry.at),
    entry.result,
    entry.title || entry.type || entry.id,
    withoutScheme(entry.endpoint),
    entry.attempt === 0 ? '' : String(entry.attempt),
    entry.attempt === 0 ? '' : formatDuration(entry.durationMs),
    whatFollows(entry),
  ],
  badge: ({ outcome }) => outcome,
};

function whatFollows({ outcome, nextAttemptAt }: DeliveryEntry): string {
  if (nextAttemptAt !== undefined) return `again ${formatTime(nextAttemptAt).slice(0, 8)}`;
  return outcome === 'skipped' ? '' : outcome;
}

export function createCells<E extends Entry>(row: HTMLElement, { cells }: RowStyle<E>): void {
  for (const cell of cells) row.append(make('span', cell));
}

export function showCells<E extends Entry>(row: HTMLElement, entry: E, style: RowStyle<E>): void {
  for (const [index, text] of style.texts(entry).entries()) {
    const cell = row.children[index];
    if (cell !== undefined) setText(cell, text);
  }
  const badge = row.children[1];
  if (badge !== undefined) badge.className = `badge ${style.badge(entry)}`;
}
