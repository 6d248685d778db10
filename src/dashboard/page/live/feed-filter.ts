import type { MessageEntry } from '../../server/entry.js';
import { userOf } from '../format-values.js';

export interface FeedFilter {
  /** The types to show; if empty, all types are shown. */
  readonly types: ReadonlySet<string>;
  readonly text: string;
  readonly user: string;
}

/** Makes the function that decides which messages are shown. The text is searched for in the whole JSON, ignoring case. */
export function matcherOf({ types, text, user }: FeedFilter): (entry: MessageEntry) => boolean {
  const [needle, who] = [text.trim().toLowerCase(), user.trim().toLowerCase()];
  return (entry) =>
    (types.size === 0 || types.has(String(entry.message['type']))) &&
    (who === '' || userOf(entry.message).toLowerCase().includes(who)) &&
    (needle === '' || searchable(entry).includes(needle));
}

// The JSON text of a message is kept with it, so that typing does not serialize every message again.
const texts = new WeakMap<MessageEntry, string>();

function searchable(entry: MessageEntry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const text = JSON.stringify(entry.message).toLowerCase();
  texts.set(entry, text);
  return text;
}
