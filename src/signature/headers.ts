/** A `Headers`, or an object of headers by name. A name may be in any case: API Gateway passes it on as the sender wrote it. */
export type HeaderBag =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** Returns a header by its name in lower case. */
export type HeaderLookup = (name: string) => string | undefined;

export function headerLookup(headers: HeaderBag): HeaderLookup {
  if (isHeaders(headers)) return (name) => headers.get(name) ?? undefined;
  // Some frameworks write `null` for a header that is not there.
  const given = Object.entries(headers).filter(([, value]) => value != null);
  const byName = new Map(given.map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = byName.get(name);
    // A header that is given twice becomes one list, as in a `Headers`.
    return typeof value === 'object' ? value?.join(', ') : value;
  };
}

const isHeaders = (headers: HeaderBag): headers is { get(name: string): string | null } =>
  typeof headers['get'] === 'function';
