import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import type { Kind } from './chunks.js';

/** The prefix of the keys with the time, in ms since 1970, from which all attempts of a destination and kind are kept. */
const GAPS = 'recent-gaps/';

const keyOf = (destination: string, kind: Kind): string => `${GAPS}${encodeURIComponent(destination)}/${kind}`;

/** Records that attempts which began before now are missing. */
export const gapNow = (destination: string, kind: Kind, now: number): Change => ({
  key: keyOf(destination, kind),
  value: String(now),
});

/** Records that attempts which began before an earlier time are missing, unless a later time is already recorded. */
export async function markGap(keyValues: KeyValueStore, destination: string, kind: Kind, at: number): Promise<void> {
  const key = keyOf(destination, kind);
  for (;;) {
    const [value] = await keyValues.get([key]);
    if (Number(value ?? 0) >= at || (await keyValues.writeIf({ key, value }, [{ key, value: String(at) }]))) return;
  }
}

/** Returns the time since which all attempts of these kinds at these destinations are kept; 0 if none was ever left out. */
export async function lastGap(
  keyValues: KeyValueStore,
  destinations: readonly string[],
  kinds: readonly Kind[],
): Promise<number> {
  const keys = destinations.flatMap((destination) => kinds.map((kind) => keyOf(destination, kind)));
  return (await keyValues.get(keys)).reduce((latest, value) => Math.max(latest, Number(value ?? 0)), 0);
}
