import { describeThrown } from '../base/errors/describe-thrown.js';
import { ValidationError } from '../base/errors/errors.js';
import { isInstance } from '../base/errors/is-instance.js';
import { formatPath } from './path.js';
import { copyPlain, TooMuchError } from './plain-copy.js';

/**
 * JSON.stringify of a value that is not plain, in bounded time and memory. Names the path to what JSON cannot hold.
 *
 * @throws ValidationError, or TooMuchError when the value is so large that it is not written
 */
export function writeJson(root: string, value: object): string {
  return JSON.stringify(copyPlain(root, value));
}

/** Finds out why a value could not be read, and where, by reading it again. It may well behave this time. */
export function explainUnreadable(root: string, value: object, failure: unknown): ValidationError {
  // The error belongs to a call that was made while the value was read, and refused.
  if (isInstance(failure, ValidationError)) return failure;
  let path = root;
  try {
    copyPlain(root, value);
  } catch (error) {
    if (isInstance(error, ValidationError)) return error;
    // The value that fails is behind so much else that we stopped looking.
    if (isInstance(error, TooMuchError)) path = formatPath(root, error.path.slice(0, 1));
  }
  const received = `one that throws ${describeThrown(failure)}`;
  return new ValidationError(path, 'a value that JSON can hold', received, { cause: failure });
}
