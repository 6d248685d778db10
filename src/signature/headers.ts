/** Headers as node:http has them, with names in lower case, or a `Headers`. */
export type HeaderBag =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Looks a header up by its name in lower case. */
export type HeaderLookup = (name: string) => string | undefined;

export function headerLookup(headers: HeaderBag): HeaderLookup {
  if (isHeaders(headers)) return (name) => headers.get(name) ?? undefined;
  return (name) => {
    const value = headers[name];
    // A header given twice is one list, as it is in a `Headers`.
    return typeof value === 'object' ? value.join(', ') : value;
  };
}

const isHeaders = (headers: HeaderBag): headers is { get(name: string): string | null } =>
  typeof headers['get'] === 'function';
