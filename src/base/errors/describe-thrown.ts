import { excerpt } from '../text/printable.js';

/**
 * Describes any thrown value in one line of at most 200 printable characters, such as `TypeError: x is not a function`, or the
 * message alone of a plain `Error`. Never throws, and never calls a `toString`.
 */
export function describeThrown(thrown: unknown): string {
  switch (typeof thrown) {
    case 'string':
      return thrown === '' ? 'an empty string' : excerpt(thrown);
    case 'object':
      return thrown === null ? 'null' : describeObject(thrown);
    case 'function':
      return 'a function';
    case 'bigint':
      return 'a BigInt';
    default:
      return excerpt(String(thrown));
  }
}

function describeObject(thrown: object): string {
  // An error from another realm fails `instanceof Error`, so it is recognised by its properties.
  const name = textAt(thrown, 'name');
  const message = textAt(thrown, 'message');
  if (message === '') return name === '' ? 'an object without a message' : name;
  return name === '' || name === 'Error' ? message : excerpt(`${name}: ${message}`);
}

function textAt(thrown: object, key: 'name' | 'message'): string {
  try {
    const text = (thrown as Partial<Record<typeof key, unknown>>)[key];
    return typeof text === 'string' ? excerpt(text) : '';
  } catch {
    // A getter or a proxy may itself throw.
    return '';
  }
}
