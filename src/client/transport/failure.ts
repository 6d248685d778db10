import { describeThrown } from '../../base/errors/describe-thrown.js';
import { ConnectionError } from '../../base/errors/errors.js';
import { codeOfName, reasonOf } from '../../base/platform/node.js';
import { excerpt } from '../../base/text/printable.js';

/** Causes are followed so deep, as one may be its own. */
const DEEPEST_CAUSE = 5;

/** Whatever a transport rejected with, as a failed attempt with something to read and the code of what went wrong. */
export function connectionErrorOf(thrown: unknown): ConnectionError {
  try {
    return new ConnectionError(excerpt(messageOf(thrown)), { cause: thrown, causeCode: codeOf(thrown) });
  } catch {
    // A getter or a proxy that throws.
    return new ConnectionError(describeThrown(thrown), { cause: thrown });
  }
}

/** An error of another realm, as Node's own are to a test in Jest, is no `instanceof Error`. */
interface ErrorLike {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

const isErrorLike = (thrown: unknown): thrown is ErrorLike => typeof thrown === 'object' && thrown !== null;

/** The errors of a host with several addresses come as a group without a message, and `fetch` hides the reason. */
function messageOf(thrown: unknown, depth = 0): string {
  if (!isErrorLike(thrown) || depth > DEEPEST_CAUSE) return describeThrown(thrown);
  const { message, errors, cause } = thrown;
  if (message === '' && Array.isArray(errors)) return errors.map((each) => messageOf(each, depth + 1)).join('; ');
  const said = typeof message === 'string' && message !== '' ? message : describeThrown(thrown);
  const shown = reasonOf(said);
  return isErrorLike(cause) ? `${shown}: ${messageOf(cause, depth + 1)}` : shown;
}

/** The first code among an error, those it groups and those that caused it. */
function codeOf(thrown: unknown, depth = 0): string | undefined {
  if (!isErrorLike(thrown) || depth > DEEPEST_CAUSE) return undefined;
  const { name, code, errors, cause } = thrown;
  if (typeof code === 'string') return excerpt(code);
  return (
    codeOfName(name) ?? codeOf(Array.isArray(errors) ? errors[0] : undefined, depth + 1) ?? codeOf(cause, depth + 1)
  );
}
