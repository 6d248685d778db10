import type { MessageEntry } from '../../server/entry.js';
import { userOf } from '../format-values.js';

export interface Filter {
  /** The types to show; all when there are none. */
  readonly types: ReadonlySet<string>;
  readonly text: string;
  readonly user: string;
}

/** Decides which messages are shown. Letters match in either case, and the text anywhere in the JSON of a message. */
export function matcherOf({ types, text, user }: Filter): (entry: MessageEntry) => boolean {
  const [needle, who] = [text.trim().toLowerCase(), user.trim().toLowerCase()];
  return (entry) =>
    (types.size === 0 || types.has(String(entry.message['type']))) &&
    (who === '' || userOf(entry.message).toLowerCase().includes(who)) &&
    (needle === '' || searchable(entry).includes(needle));
}

// Each message is serialized once, not for each typed letter, and its text is dropped with it.
const texts = new WeakMap<MessageEntry, string>();

function searchable(entry: MessageEntry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const text = JSON.stringify(entry.message).toLowerCase();
  texts.set(entry, text);
  return text;
}
