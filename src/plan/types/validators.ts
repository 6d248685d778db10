import standalone from 'ajv/dist/standalone/index.js';
import { type Plan, plannedSchemas } from '../plan.js';
import { placeOf, planAjv } from '../plan-ajv.js';

/** Replacements for the helpers of ajv that generated code requires. */
const HELPERS: Readonly<Record<string, string>> = {
  'require("ajv/dist/runtime/ucs2length").default': '(text) => [...text].length',
  'require("ajv/dist/runtime/equal").default': 'equal',
};

const EQUAL = `function equal(one, other) {
if (one === other) return true;
if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one !== one && other !== other;
if (Array.isArray(one) !== Array.isArray(other)) return false;
const keys = Object.keys(one);
return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && equal(one[key], other[key]));
}
`;

/** Matches the schema path in an error of ajv. No text of a plan can match, because its quotes would have backslashes. */
const SCHEMA_PATH = /schemaPath:"(?:[^"\\]|\\.)*",/g;

/** The name of the function that checks a schema of `plannedSchemas`. */
export const validatorName = (index: number): string => `check${index}`;

/** Writes a function for each schema of the plan. The code needs no library. */
export function validatorsOf(plan: Plan): string {
  const names = plannedSchemas(plan).map((_, index) => [validatorName(index), placeOf(index)] as const);
  if (names.length === 0) return '';
  const code = standalone.default(planAjv(plan, { isStandalone: true }), Object.fromEntries(names));
  const withHelpers = Object.entries(HELPERS).reduce((text, [asked, helper]) => text.replaceAll(asked, helper), code);
  const plain = withHelpers
    .replace(/^"use strict";\s*/, '')
    .replaceAll(/^export const /gm, 'const ')
    .replaceAll(SCHEMA_PATH, '');
  return `${plain.includes(' = equal;') ? EQUAL : ''}${withoutUnused(plain).trim()}\n`;
}

/** Removes the schemas beside the functions, unless a function needs one for the values of an `enum`. */
const withoutUnused = (code: string): string =>
  code.replaceAll(/^const (schema\d+) = .*\n+/gm, (line, name: string) =>
    new RegExp(`\\b${name}\\.`).test(code) ? line : '',
  );
