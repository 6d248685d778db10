import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject } from '../decode.js';
import { describe } from '../describe.js';
import { PlanError, type PlanProblem } from './errors.js';
import { expectedOf } from './expected.js';
import { FORMATS } from './formats.js';
import { inspectPlan } from './inspect.js';
import { DESCRIBED_TYPES, type JsonSchema, type Plan } from './plan.js';
import { pointerOf } from './pointer.js';
import { TrackingPlan } from './tracking-plan.js';

/** A schema of a plan and its place. */
export interface PlannedSchema {
  readonly keys: readonly [string, ...string[]];
  readonly schema: JsonSchema;
}

/** All schemas of messages, in the order of the plan. */
export const plannedSchemas = (plan: Plan): PlannedSchema[] => [
  ...Object.entries(plan.events).map(([name, schema]): PlannedSchema => ({ keys: ['events', name], schema })),
  ...DESCRIBED_TYPES.flatMap((type): PlannedSchema[] => {
    const schema = plan[type];
    return schema === undefined ? [] : [{ keys: [type], schema }];
  }),
];

/**
 * Checks a plan and compiles its schemas.
 *
 * @param file where the plan is, for the error.
 * @throws PlanError with every mistake that is in it.
 */
export function compilePlan(given: unknown, file: string): TrackingPlan {
  const problems = inspectPlan(given);
  if (problems.length > 0) throw new PlanError(file, problems);
  // Inspected: it has the shape of a plan.
  const plan = given as Plan;
  const wrong = wrongKeywords(plan);
  if (wrong.length > 0) throw new PlanError(file, wrong);
  return new TrackingPlan(plan, functionsOf(plan, file));
}

/**
 * A validator of a plan, with the schemas of messages at `plan#/planned/0` and so on. It stops at the first error of a value:
 * a hostile one has as many as it has bytes. Unknown keywords and formats were refused before, with their places.
 */
export function ajvFor(plan: Plan, options: { isStandalone?: boolean } = {}): Ajv2020 {
  const { isStandalone = false } = options;
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    verbose: !isStandalone,
    logger: false,
    code: { source: isStandalone, esm: true },
  });
  for (const [name, pattern] of FORMATS) ajv.addFormat(name, pattern);
  const { $schema: _, description: __, ...schemas } = plan;
  ajv.addSchema({ ...schemas, planned: plannedSchemas(plan).map(({ schema }) => schema) }, 'plan');
  return ajv;
}

function functionsOf(plan: Plan, file: string): ReadonlyMap<string, ValidateFunction> {
  const ajv = ajvFor(plan);
  const functions = new Map<string, ValidateFunction>();
  const problems: PlanProblem[] = [];
  for (const [index, { keys }] of plannedSchemas(plan).entries()) {
    try {
      const validate = ajv.getSchema(`plan#/planned/${index}`);
      if (validate !== undefined) functions.set(pointerOf(keys), validate);
    } catch (error) {
      const received = error instanceof Error ? error.message : String(error);
      problems.push({ pointer: pointerOf(keys), expected: 'a schema that compiles', received });
    }
  }
  if (problems.length > 0) throw new PlanError(file, problems);
  return functions;
}

/** Keywords with values that draft 2020-12 does not allow. */
function wrongKeywords(plan: Plan): PlanProblem[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, logger: false });
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
