import { OptionError } from '../base/errors/errors.js';
import { describe } from '../base/text/describe.js';

/** A `Headers`, or an object with headers by name. Names may be in any case, because API Gateway does not change their case. */
export type HeaderBag =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** Returns a header by its name in lower case. */
export type HeaderLookup = (name: string) => string | undefined;

export function headerLookup(headers: HeaderBag): HeaderLookup {
  if (typeof headers !== 'object' || headers === null) {
    throw new OptionError('webhooks', 'headers', 'a Headers, or an object of headers', describe(headers));
  }
  if (isHeaders(headers)) return (name) => textOf(headers.get(name));
  // Some frameworks set a header that was not sent to `null`.
  const given = Object.entries(headers).filter(([, value]) => value != null);
  const byName = new Map(given.map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => textOf(byName.get(name));
}

/** Joins a header that was sent twice into one list, as a `Headers` does. A value that is not text counts as no header. */
function textOf(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.join(', ') : value;
  return typeof text === 'string' ? text : undefined;
}

const isHeaders = (headers: HeaderBag): headers is { get(name: string): string | null } =>
  typeof headers['get'] === 'function';
