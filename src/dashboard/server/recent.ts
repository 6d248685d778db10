/** This map keeps only the newest entries. */
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
      // The key is taken out first, so that a renewed entry counts as new.
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
