/** One place at which a message differs from what was expected. */
export interface Difference {
  /** The place, such as `properties.items[0].price`. */
  readonly path: string;
  readonly expected: unknown;
  /** Undefined if the message has nothing there. */
  readonly received: unknown;
}

/**
 * Returns the places at which `received` differs from `expected`. An expected object may leave fields out, but a list must have
 * the same length. A matcher of vitest or Jest (`expect.any(Number)`), a regular expression or a function decides for itself.
 */
export function differences(expected: unknown, received: unknown, path = ''): Difference[] {
  const differs = (isSame: boolean): Difference[] => (isSame ? [] : [{ path, expected, received }]);
  if (typeof expected === 'function') return differs(expected(received) === true);
  // `search` begins at the first character, whatever an earlier match has left in an expression with the flag g or y.
  if (expected instanceof RegExp) return differs(typeof received === 'string' && received.search(expected) >= 0);
  if (isMatcher(expected)) return differs(expected.asymmetricMatch(received));
  if (Array.isArray(expected)) return differencesOfLists(expected, received, path);
  if (typeof expected !== 'object' || expected === null) return differs(Object.is(expected, received));
  // Compares the form that is sent, in which a Date is text.
  if (hasJson(expected)) return differences(expected.toJSON(), received, path);
  if (typeof received !== 'object' || received === null || Array.isArray(received)) return differs(false);
  return Object.entries(expected).flatMap(([key, value]) =>
    differences(value, (received as Record<string, unknown>)[key], path === '' ? key : `${path}.${key}`),
  );
}

function differencesOfLists(expected: readonly unknown[], received: unknown, path: string): Difference[] {
  if (!Array.isArray(received) || received.length !== expected.length) return [{ path, expected, received }];
  return expected.flatMap((value, index) => differences(value, received[index], `${path}[${index}]`));
}

interface Matcher {
  asymmetricMatch(value: unknown): boolean;
}

const isMatcher = (value: unknown): value is Matcher =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Matcher>).asymmetricMatch === 'function';

const hasJson = (value: object): value is { toJSON(): unknown } =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function';
