/** The headers of `node:http`, with names in lower case, or a `Headers`. */
export type HeaderBag =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns a header by its name in lower case. */
export type HeaderLookup = (name: string) => string | undefined;

export function headerLookup(headers: HeaderBag): HeaderLookup {
  if (isHeaders(headers)) return (name) => headers.get(name) ?? undefined;
  return (name) => {
    const value = headers[name];
    // A header that is given twice becomes one list, as in a `Headers`.
    return typeof value === 'object' ? value.join(', ') : value;
  };
}

const isHeaders = (headers: HeaderBag): headers is { get(name: string): string | null } =>
  typeof headers['get'] === 'function';
