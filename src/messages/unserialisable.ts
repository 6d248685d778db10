import { ValidationError } from '../errors.js';
import { describe } from './describe.js';
import { formatPath } from './path.js';

// JSON.stringify gives up at some thousand levels, depending on how much of the stack is left.
const TOO_DEEP = 1_000;
const SHOWN_LEVELS = 4;

/** One object on the way down, and how far its keys have been walked. */
interface Step {
  readonly value: object;
  readonly keys: readonly PropertyKey[];
  next: number;
}

/**
 * Why JSON.stringify failed, and where. Called only after it has: it walks the value as JSON would and stops at the first
 * thing that JSON cannot write.
 */
export function explainUnserialisable(root: string, value: unknown, failure: unknown): ValidationError {
  const wrong = (path: readonly PropertyKey[], expected: string, received: string, cause: unknown) =>
    new ValidationError(formatPath(root, path), expected, received, { cause });
  const steps: Step[] = [];
  const path: PropertyKey[] = [];

  /** Takes one value in; returns what is wrong with it. */
  const enter = (held: unknown): ValidationError | undefined => {
    if (typeof held === 'bigint') return wrong(path, 'a value that JSON can hold', 'a BigInt', failure);
    if (typeof held !== 'object' || held === null) return undefined;
    if (steps.some((step) => step.value === held))
      return wrong(path, 'no cycle', 'an object that contains itself', failure);
    if (steps.length >= TOO_DEEP) {
      return wrong([...path.slice(0, SHOWN_LEVELS), '…'], 'less nesting', `more than ${TOO_DEEP} levels`, failure);
    }
    steps.push({ value: held, keys: keysOf(held), next: 0 });
    return undefined;
  };

  try {
    let found = enter(value);
    for (let step = steps.at(-1); step !== undefined && found === undefined; step = steps.at(-1)) {
      const key = step.keys[step.next++];
      if (key === undefined) {
        steps.pop();
        path.pop();
        continue;
      }
      path.push(key);
      const depth = steps.length;
      found = enter(valueAt(step.value, key));
      if (steps.length === depth) path.pop();
    }
    if (found !== undefined) return found;
  } catch (error) {
    return wrong(path, 'a value that can be read', `one that throws ${describeThrown(error)}`, error);
  }
  return wrong([], 'a message that JSON can hold', describeThrown(failure), failure);
}

const keysOf = (value: object): PropertyKey[] => (Array.isArray(value) ? [...value.keys()] : Object.keys(value));

/** The value as JSON sees it: through its `toJSON`, if it has one. */
function valueAt(holder: object, key: PropertyKey): unknown {
  const value = (holder as Record<PropertyKey, unknown>)[key];
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? toJSON.call(value, String(key)) : value;
}

const describeThrown = (error: unknown): string => (error instanceof Error ? error.name : describe(error));
