import { describeThrown } from '../base/errors/describe-thrown.js';
import { ValidationError } from '../base/errors/errors.js';
import { isInstance } from '../base/errors/is-instance.js';
import { formatPath } from './path.js';
import { copyPlain, TooMuchError } from './plain-copy.js';

/**
 * Writes a value that is not plain as JSON, in limited time and memory. An error names the path to a value that JSON cannot hold.
 *
 * @throws ValidationError, or TooMuchError when the value is so large that it is not written
 */
export function writeJson(root: string, value: object): string {
  return JSON.stringify(copyPlain(root, value));
}

/** Finds out why and where a value could not be read, by reading it again. The second reading may succeed. */
export function explainUnreadable(root: string, value: object, failure: unknown): ValidationError {
  // The error comes from another call that was made while this value was read, so it is passed on.
  if (isInstance(failure, ValidationError)) return failure;
  let path = root;
  try {
    copyPlain(root, value);
  } catch (error) {
    if (isInstance(error, ValidationError)) return error;
    // The value that fails is behind so many others that the search was given up.
    if (isInstance(error, TooMuchError)) path = formatPath(root, error.path.slice(0, 1));
  }
  const received = `one that throws ${describeThrown(failure)}`;
  return new ValidationError(path, 'a value that JSON can hold', received, { cause: failure });
}
