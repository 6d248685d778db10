/** A map that keeps only the newest so many. */
export interface RecentMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  clear(): void;
}

export function recentMap<V>(capacity: number): RecentMap<V> {
  const map = new Map<string, V>();
  return {
    get: (key) => map.get(key),
    set(key, value) {
      // Taken out first, so that the order is that of the last time.
      map.delete(key);
      map.set(key, value);
      for (const oldest of map.keys()) {
        if (map.size <= capacity) break;
        map.delete(oldest);
      }
    },
    clear: () => map.clear(),
  };
}
