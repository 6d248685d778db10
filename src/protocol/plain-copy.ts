import { describeThrown } from '../base/errors/describe-thrown.js';
import { ValidationError } from '../base/errors/errors.js';
import { isInstance } from '../base/errors/is-instance.js';
import { MAX_DEPTH } from '../base/options/limits.js';
import { isBoxedPrimitive, isError, isNumberObject, isStringObject, isTypedArray } from '../base/platform/node.js';
import { formatPath } from './path.js';
import { isRawJson, MAX_WRITTEN } from './plain.js';

/** A value is so large that writing it was given up. */
export class TooMuchError extends Error {
  override readonly name = 'TooMuchError';
  /** The place at which the limit was reached. */
  readonly path: readonly PropertyKey[];
  /** The least number of bytes that the value would take as JSON. */
  readonly bytes: number;

  constructor(path: readonly PropertyKey[], bytes: number) {
    super(`At least ${bytes} bytes`);
    this.path = path;
    this.bytes = bytes;
  }
}

/**
 * Reads a value as JSON.stringify would, each getter and each `toJSON` once, into objects and arrays that JSON.stringify can
 * write without calling any code. Its time and memory are limited for any value.
 *
 * @throws ValidationError with the path to the first value that JSON cannot hold; TooMuchError
 */
export function copyPlain(root: string, value: object, most: number = MAX_WRITTEN): unknown {
  return new Copier(root, most).copyObject(value);
}

class Copier {
  readonly #root: string;
  readonly #most: number;
  readonly #path: PropertyKey[] = [];
  readonly #ancestors = new Set<object>();
  #bytes = 0;
  #visited = 0;

  constructor(root: string, most: number) {
    this.#root = root;
    this.#most = most;
  }

  copyObject(value: object): unknown {
    if (isRawJson(value)) {
      this.#count(value.rawJSON.length);
      return value;
    }
    if (this.#ancestors.has(value)) throw this.#wrong('no cycle', 'an object that contains itself');
    if (this.#ancestors.size >= MAX_DEPTH) throw this.#wrong(`at most ${MAX_DEPTH} levels of nesting`, 'more');
    this.#ancestors.add(value);
    const copy = this.#read(() => Array.isArray(value)) ? this.#copyItems(value) : this.#copyFields(value);
    this.#ancestors.delete(value);
    return copy;
  }

  #copy(holder: object, key: string | number): unknown {
    // Values that JSON omits are counted too, because visiting them also takes time.
    if (++this.#visited > this.#most) throw this.#wrong('fewer values', `more than ${this.#most}`);
    const value = this.#read(() => asJsonSees(holder, key));
    switch (typeof value) {
      case 'bigint':
        throw this.#wrong('a value that JSON can hold', 'a BigInt');
      case 'string':
        this.#count(value.length + 2);
        return value;
      case 'object':
        return value === null ? value : this.copyObject(value);
      default:
        return value;
    }
  }

  #copyItems(items: object): unknown[] {
    const length = this.#read(() => lengthOf(items as { length: unknown }));
    this.#count(2 * length);
    const copy: unknown[] = [];
    for (let index = 0; index < length; index++) copy.push(this.#copyAt(items, index));
    return copy;
  }

  #copyFields(value: object): Record<string, unknown> {
    if (isTypedArray(value)) this.#count(2 * value.length);
    // In an object without a prototype, `__proto__` is an ordinary key.
    const copy: Record<string, unknown> = Object.create(null);
    for (const key of this.#read(() => Object.keys(value))) {
      const field = this.#copyAt(value, key);
      if (field === undefined || typeof field === 'function' || typeof field === 'symbol') continue;
      this.#count(key.length + 4);
      copy[key] = field;
    }
    return copy;
  }

  #copyAt(holder: object, key: string | number): unknown {
    this.#path.push(key);
    const copy = this.#copy(holder, key);
    this.#path.pop();
    return copy;
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      // The error comes from another call that was made while this value was read, so it is passed on.
      if (isInstance(error, ValidationError)) throw error;
      throw this.#wrong('a value that can be read', `one that throws ${describeThrown(error)}`, error);
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#most) throw new TooMuchError([...this.#path], this.#bytes);
  }

  #wrong(expected: string, received: string, cause?: unknown): ValidationError {
    return new ValidationError(formatPath(this.#root, this.#path), expected, received, { cause });
  }
}

/**
 * Returns the value at a key as JSON sees it: the result of its `toJSON`, the string in a `new String`, and the text of an error.
 */
function asJsonSees(holder: object, key: string | number): unknown {
  const value = (holder as Record<string | number, unknown>)[key];
  const seen = hasToJson(value) ? value.toJSON(String(key)) : value;
  if (isError(seen)) return { name: seen.name, message: seen.message };
  return isBoxedPrimitive(seen) ? unboxed(seen) : seen;
}

/** Unwraps a boxed primitive as JSON does: a symbol stays an object, and the box itself converts numbers and texts. */
function unboxed(boxed: object): unknown {
  if (isNumberObject(boxed)) return Number(boxed);
  if (isStringObject(boxed)) return String(boxed);
  for (const { prototype } of [Boolean, BigInt]) {
    try {
      return Reflect.apply(prototype.valueOf, boxed, []);
    } catch {
      // It is not an object of this kind.
    }
  }
  return boxed;
}

// A BigInt counts too, because many programs give BigInts a `toJSON`. That of a Buffer creates an array of numbers, however long
// the buffer is.
const hasToJson = (value: unknown): value is { toJSON(key: string): unknown } =>
  ((typeof value === 'object' && value !== null && !isLongBuffer(value)) ||
    typeof value === 'function' ||
    typeof value === 'bigint') &&
  typeof (value as { toJSON?: unknown }).toJSON === 'function';

const isLongBuffer = (value: object): boolean => isTypedArray(value) && value.length > MAX_WRITTEN;

function lengthOf({ length }: { length: unknown }): number {
  const whole = Math.trunc(Number(length));
  return whole > 0 ? Math.min(whole, Number.MAX_SAFE_INTEGER) : 0;
}
