import { Ajv2020 } from 'ajv/dist/2020.js';
import { FORMATS } from './formats.js';
import { type Plan, plannedSchemas } from './plan.js';

/**
 * A validator with the schemas of a plan. It stops at the first error of a value: a hostile one has as many as it has bytes.
 * Unknown keywords and formats were refused before, with their places.
 *
 * @param options.isStandalone whether its functions are to be written as code, whose errors hold no values
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
    logger: false,
    code: { source: isStandalone, esm: true, lines: isStandalone },
  });
  // Unused, they would be in every function. The class switches them on.
  Object.assign(ajv.opts, { dynamicRef: false, unevaluated: JSON.stringify(plan).includes('"unevaluated') });
  for (const [name, pattern] of FORMATS) ajv.addFormat(name, pattern);
  const { $schema: _, description: __, ...schemas } = plan;
  ajv.addSchema({ ...schemas, planned: plannedSchemas(plan).map(({ schema }) => schema) }, 'plan');
  return ajv;
}

/** Where a schema of `plannedSchemas` is: not by its name, which may have any character. */
export const placeOf = (index: number): string => `plan#/planned/${index}`;
