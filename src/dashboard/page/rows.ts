import type { BatchEntry, DeliveryEntry, MessageEntry, RejectedEntry } from '../server/entry.js';
import { make, setText } from './dom.js';
import { formatBytes, formatCount, formatDuration, formatTime, titleOf, userOf, withoutScheme } from './format.js';

/** How an entry looks in its list: its cells, by class, and what each says. */
export interface RowStyle<E> {
  readonly cells: readonly string[];
  texts(entry: E): readonly string[];
  /** The look of the cell `badge`, where there is one. */
  badge?(entry: E): string;
  /** What is read out after a cell, where it would not be understood without its heading. */
  readonly words?: readonly string[];
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

export function createCells<E>(row: HTMLElement, { cells, words = [] }: RowStyle<E>): void {
  for (const [index, cell] of cells.entries()) {
    const word = words[index];
    row.append(word ? make('span', cell, make('span', ''), make('span', 'hidden', ` ${word}`)) : make('span', cell));
  }
}

export function showCells<E>(row: HTMLElement, entry: E, style: RowStyle<E>): void {
  for (const [index, text] of style.texts(entry).entries()) {
    const cell = row.children[index];
    if (cell !== undefined) setText(cell.firstElementChild ?? cell, text);
  }
  const badge = row.children[style.cells.indexOf('badge')];
  if (badge !== undefined && style.badge !== undefined) badge.className = `badge ${style.badge(entry)}`;
}
