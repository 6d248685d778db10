import { describeThrown } from '../base/errors/describe-thrown.js';
import type { Violation } from '../base/errors/violation-error.js';
import { excerpt } from '../base/text/printable.js';
import type { Message } from '../protocol/message.js';
import { formatPath } from '../protocol/path.js';
import type { SchemaIssue, SchemaResult, Standard } from './standard-schema.js';

const MOST_ISSUES = 100;

const PROMISE =
  'its schema returned a promise, for which a call cannot wait: the schema is asynchronous, or a check in it threw';

/**
 * Checks the `properties` or `traits` of a call. If they are missing, the call is valid when the schema accepts an empty object
 * or `undefined`.
 */
export function checkInput(standard: Standard, message: Message, field: string, input: unknown): Violation | undefined {
  try {
    let issues = issuesOf(standard, input ?? {});
    if (issues !== undefined && input === undefined && issuesOf(standard, undefined) === undefined) issues = undefined;
    return issues && violationOf(message, field, issues);
  } catch (cause) {
    return failureOf(message, field, cause);
  }
}

class AsyncAnswer extends Error {}

function issuesOf(standard: Standard, input: unknown): readonly SchemaIssue[] | undefined {
  const result = standard.validate(input) as SchemaResult & Partial<PromiseLike<unknown>>;
  if (typeof result.then === 'function') {
    // If its rejection were not handled, it would end the process.
    result.then(undefined, () => {});
    throw new AsyncAnswer(PROMISE);
  }
  return result.issues;
}

function violationOf(message: Message, field: string, found: readonly SchemaIssue[]): Violation {
  const root = `${message.type}.${field}`;
  const issues = found.slice(0, MOST_ISSUES).map(({ message: text, path = [] }) => ({
    path: formatPath(root, path.map(keyOf)),
    message: text,
  }));
  const { path, message: first } = issues[0] ?? { path: root, message: 'not what the schema expects' };
  const more = found.length > 1 ? `; and ${found.length - 1} more` : '';
  return {
    code: 'EVENTFERRY_VIOLATION',
    message: `${placeOf(message, path)}: ${excerpt(first)}${more}`,
    event: eventOf(message),
    path,
    issues,
  };
}

function failureOf(message: Message, field: string, cause: unknown): Violation {
  const path = `${message.type}.${field}`;
  const why = cause instanceof AsyncAnswer ? PROMISE : `its schema failed: ${describeThrown(cause)}`;
  return {
    code: 'EVENTFERRY_SCHEMA_FAILED',
    message: `${placeOf(message, path)}: ${why}`,
    event: eventOf(message),
    path,
    issues: [],
    cause,
  };
}

const keyOf = (key: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof key === 'object' ? key.key : key;

const eventOf = (message: Message): string | undefined => (message.type === 'track' ? message.event : undefined);

const placeOf = (message: Message, path: string): string =>
  message.type === 'track' ? `${path} of "${excerpt(message.event)}"` : path;
