import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { once } from '../base/structures/once.js';
import { isJsonObject } from '../base/text/decode.js';
import { describe } from '../base/text/describe.js';
import { expectedOf } from './expected.js';
import { inspectPlan } from './inspect-plan.js';
import { type Plan, plannedSchemas } from './plan.js';
import { placeOf, planAjv } from './plan-ajv.js';
import { PlanError, type PlanProblem } from './plan-errors.js';
import { pointerOf } from './pointer.js';
import { TrackingPlan } from './tracking-plan.js';

/**
 * Checks a plan and compiles its schemas.
 *
 * @param file the name of the plan, for the error
 * @throws PlanError with every mistake in it
 */
export function compilePlan(given: unknown, file: string): TrackingPlan {
  const problems = inspectPlan(given);
  if (problems.length > 0) throw new PlanError(file, problems);
  // `inspectPlan` has checked that the value has this shape.
  const plan = given as Plan;
  const wrong = wrongKeywords(plan);
  if (wrong.length > 0) throw new PlanError(file, wrong);
  return new TrackingPlan(plan, functionsOf(plan, file));
}

function functionsOf(plan: Plan, file: string): ReadonlyMap<string, ValidateFunction> {
  const ajv = planAjv(plan);
  const functions = new Map<string, ValidateFunction>();
  const problems: PlanProblem[] = [];
  for (const [index, { keys }] of plannedSchemas(plan).entries()) {
    try {
      const validate = ajv.getSchema(placeOf(index));
      if (validate !== undefined) functions.set(pointerOf(keys), validate);
    } catch (error) {
      const received = error instanceof Error ? error.message : String(error);
      problems.push({ pointer: pointerOf(keys), expected: 'a schema that compiles', received });
    }
  }
  if (problems.length > 0) throw new PlanError(file, problems);
  return functions;
}

/** All plans share one instance, because compiling JSON Schema's own meta-schema takes longer than compiling most plans. */
const keywords = once(() => new Ajv2020({ strict: false, allErrors: true, verbose: true, logger: false }));

/** Finds keywords whose values draft 2020-12 does not allow. */
function wrongKeywords(plan: Plan): PlanProblem[] {
  const ajv = keywords();
  const defs = Object.entries(plan.$defs ?? {}).map(([name, schema]) => ({ keys: ['$defs', name], schema }));
  return [...plannedSchemas(plan), ...defs].flatMap(({ keys, schema }) => {
    if (ajv.validateSchema(schema) === true) return [];
    const problems = (ajv.errors ?? []).map((error) => problemOf(pointerOf(keys), error));
    return problems.filter(({ pointer }, index) => problems.findIndex((one) => one.pointer === pointer) === index);
  });
}

const TYPES = 'string, number, integer, boolean, object, array or null';

function problemOf(at: string, error: ErrorObject): PlanProblem {
  const expected = error.instancePath.endsWith('/type') ? `${TYPES}, or a list of these` : expectedOf(error);
  return { pointer: at + error.instancePath, expected, received: received(error.data) };
}

const received = (value: unknown): string => (isJsonObject(value) ? 'an object' : describe(value));
