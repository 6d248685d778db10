import type { StoredEvent } from '../../delivery/completion-rule.js';
import { isWaiting } from '../../delivery/state.js';

/** What an update of an event means for what waits. */
export interface Change {
  /** When what came is due. */
  readonly at: number;
  /** The URLs at which a delivery waits that did not wait before. */
  readonly came: readonly string[];
  /** The URLs at which one waits no longer. */
  readonly went: readonly string[];
  /** Whether one waits under another queue key than before. */
  readonly hasMoved: boolean;
}

export function changeOf(before: StoredEvent, after: StoredEvent | undefined): Change {
  if (after === before) return { at: 0, came: [], went: [], hasMoved: false };
  const [old, due] = [duesOf(before), duesOf(after)];
  const came = [...due.keys()].filter((url) => !old.has(url));
  return {
    at: due.get(came[0] ?? '') ?? 0,
    came,
    went: [...old.keys()].filter((url) => !due.has(url)),
    hasMoved: [...old].some(([url, at]) => due.has(url) && due.get(url) !== at),
  };
}

function duesOf(event: StoredEvent | undefined): Map<string, number> {
  const dues = new Map<string, number>();
  for (const [url, state] of Object.entries(event?.urls ?? {})) if (isWaiting(state)) dues.set(url, state.due);
  return dues;
}
