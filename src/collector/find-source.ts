/** A sender of messages: a website, an app, a server. Ids are unique within a source. */
export interface Source {
  readonly name: string;
}

/** A source and the key that its clients send. Two entries with the same name are one source with two keys. */
export interface SourceWithKey extends Source {
  readonly writeKey: string;
}

/** Finds the source that a write key belongs to, or nothing. */
export type FindSource = (writeKey: string) => Source | undefined | null | Promise<Source | undefined | null>;

/** Finds keys in a list. Returns an entry without its key, so that a program may log it. */
export function findInList(entries: readonly SourceWithKey[]): FindSource {
  const sources = new Map(entries.map(({ writeKey, ...source }) => [writeKey, source] as const));
  return (writeKey) => sources.get(writeKey);
}

export const namedByPosition = (writeKeys: readonly string[]): SourceWithKey[] =>
  writeKeys.map((writeKey, index) => ({ name: `source-${index + 1}`, writeKey }));
