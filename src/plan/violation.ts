import type { ErrorObject } from 'ajv';
import { didYouMean } from '../base/options/suggest.js';
import { describe, kindOf } from '../base/text/describe.js';
import { formatPath } from '../protocol/path.js';
import { expectedOf, propertyNames } from './expected.js';
import type { DescribedType } from './plan.js';
import { keysIn } from './pointer.js';

/** A difference between a message and the plan. Each message has at most one: the first that is found. */
export interface PlanViolation {
  readonly type: 'track' | DescribedType;
  /** The name of a track event. */
  readonly event: string | undefined;
  /** The path, such as `properties.items[3].price`, or `event` if the plan does not have the event. */
  readonly path: string;
  /** The keyword of JSON Schema that failed, such as `required`, or `unknown_event` or `too_deep`. */
  readonly reason: string;
  /** Describes what was expected and what came. It is a function because this takes longer than finding the violation. */
  explain(): { readonly expected: string; readonly received: string };
}

/** Removes list indexes from a path, so that equal violations are counted together. */
export const groupPath = (path: string): string => path.replaceAll(/\[\d+\]/g, '[]');

/** Values of properties with such names are not shown. */
const SECRET = /(write|api|private|access)[-_ ]?key|secret|token|passw|authorization|credential/i;

/** Makes the violation of a message's field from the errors of ajv. */
export function violationOf(
  errors: readonly ErrorObject[],
  field: string,
  value: unknown,
): Pick<PlanViolation, 'path' | 'reason' | 'explain'> {
  const error = tellingOf(errors);
  if (error === undefined) throw new TypeError('ajv refused a value without an error');
  const keys = [...keysIn(value, error.instancePath), ...ownKeys(error)];
  const isSecret = keys.some((key) => SECRET.test(String(key)));
  return {
    path: formatPath(field, keys),
    reason: error.keyword.replace(' ', '_'),
    explain: () => ({ expected: expectedOf(error), received: receivedOf(error, isSecret) }),
  };
}

/** Returns the most useful error: the last, of the outermost schema, except that for a condition the one before says more. */
function tellingOf(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const last = errors.at(-1);
  return last?.keyword === 'if' ? (errors.at(-2) ?? last) : last;
}

/** Returns the missing or unknown property, which the path of ajv does not include. */
function ownKeys({ params, keyword }: ErrorObject): string[] {
  const name = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  const own = keyword === 'propertyNames' ? params['propertyName'] : name;
  return typeof own === 'string' ? [own] : [];
}

function receivedOf({ keyword, params, data, parentSchema }: ErrorObject, isSecret: boolean): string {
  if (params['missingProperty'] !== undefined) return 'nothing';
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
    return `an unknown property${didYouMean(name, propertyNames(parentSchema))}`;
  }
  if (keyword === 'minItems' || keyword === 'maxItems') return String((data as unknown[]).length);
  return isSecret ? kindOf(data) : describe(data);
}
