/** A `Headers`, or an object of headers by name. A name may be in any case: API Gateway passes it on as the sender wrote it. */
export type HeaderBag =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** Returns a header by its name in lower case. */
export type HeaderLookup = (name: string) => string | undefined;

export function headerLookup(headers: HeaderBag): HeaderLookup {
  if (isHeaders(headers)) return (name) => headers.get(name) ?? undefined;
  return (name) => {
    const value = headers[name] ?? headers[Object.keys(headers).find((key) => key.toLowerCase() === name) ?? name];
    // A header that is given twice becomes one list, as in a `Headers`.
    // Some frameworks write `null` for a header that is not there.
    return typeof value === 'object' ? value?.join(', ') : value;
  };
}

const isHeaders = (headers: HeaderBag): headers is { get(name: string): string | null } =>
  typeof headers['get'] === 'function';
