import { describeThrown } from '../../base/errors/describe-thrown.js';
import { ConnectionError } from '../../base/errors/errors.js';
import { codeOfName, reasonOf } from '../../base/platform/node.js';
import { excerpt } from '../../base/text/printable.js';

/** How deep causes are followed, because an error may be its own cause. */
const DEEPEST_CAUSE = 5;

/** Converts anything that a transport rejected with to a failed attempt with a readable message and a code. */
export function connectionErrorOf(thrown: unknown): ConnectionError {
  try {
    return new ConnectionError(excerpt(messageOf(thrown)), { cause: thrown, causeCode: codeOf(thrown) });
  } catch {
    // A getter or a proxy may throw.
    return new ConnectionError(describeThrown(thrown), { cause: thrown });
  }
}

/** The shape of an error from another realm, such as Node's own errors in a Jest test, which fail `instanceof Error`. */
type ErrorLike = Readonly<Partial<Record<'name' | 'message' | 'code' | 'cause' | 'errors', unknown>>>;

const isErrorLike = (thrown: unknown): thrown is ErrorLike => typeof thrown === 'object' && thrown !== null;

/** Finds a message. For a host with several addresses the error is a group without one; `fetch` hides it in `cause`. */
function messageOf(thrown: unknown, depth = 0): string {
  if (!isErrorLike(thrown) || depth > DEEPEST_CAUSE) return describeThrown(thrown);
  const { message, errors, cause } = thrown;
  if (message === '' && Array.isArray(errors)) return errors.map((each) => messageOf(each, depth + 1)).join('; ');
  const said = typeof message === 'string' && message !== '' ? message : describeThrown(thrown);
  const shown = reasonOf(said);
  return isErrorLike(cause) ? `${shown}: ${messageOf(cause, depth + 1)}` : shown;
}

/** Finds the first code of an error, of those that it groups and of those that caused it. */
function codeOf(thrown: unknown, depth = 0): string | undefined {
  if (!isErrorLike(thrown) || depth > DEEPEST_CAUSE) return undefined;
  const { name, code, errors, cause } = thrown;
  if (typeof code === 'string') return excerpt(code);
  return (
    codeOfName(name) ?? codeOf(Array.isArray(errors) ? errors[0] : undefined, depth + 1) ?? codeOf(cause, depth + 1)
  );
}
