import { Ajv2020 } from 'ajv/dist/2020.js';
import { FORMATS } from './formats.js';
import { type Plan, plannedSchemas } from './plan.js';

/**
 * Creates a validator with the schemas of a plan. It stops at the first error of a value, because a hostile value can
 * have as many errors as bytes. `inspectPlan` has already refused unknown keywords and formats.
 *
 * @param options.isStandalone whether the functions will be written as code, whose errors contain no values
 */
export function planAjv(plan: Plan, options: { isStandalone?: boolean } = {}): Ajv2020 {
  const { isStandalone = false } = options;
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    meta: false,
    verbose: !isStandalone,
    messages: !isStandalone,
    inlineRefs: !isStandalone,
    // Otherwise every object would have a property `constructor`.
    ownProperties: true,
    logger: false,
    code: { source: isStandalone, esm: true, lines: isStandalone },
  });
  // The class switches both on, and their code would be in every function even if unused.
  Object.assign(ajv.opts, { dynamicRef: false, unevaluated: JSON.stringify(plan).includes('"unevaluated') });
  for (const [name, pattern] of FORMATS) ajv.addFormat(name, pattern);
  const { $schema: _, description: __, ...schemas } = plan;
  ajv.addSchema({ ...schemas, planned: plannedSchemas(plan).map(({ schema }) => schema) }, 'plan');
  return ajv;
}

/** The place of a schema of `plannedSchemas`. It does not use the name, which may contain any character. */
export const placeOf = (index: number): string => `plan#/planned/${index}`;
