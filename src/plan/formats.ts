import { fastFormats } from 'ajv-formats/dist/formats.js';

const NAMES = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uuid',
] as const;

/**
 * The formats that are checked, by their form: `2024-02-31` is a `date`. Regular expressions alone, as generated code can hold
 * them.
 */
export const FORMATS: ReadonlyMap<string, RegExp> = new Map(
  NAMES.flatMap((name) => {
    const format = fastFormats[name] as RegExp | { readonly validate: unknown };
    const pattern = format instanceof RegExp ? format : format.validate;
    return pattern instanceof RegExp ? [[name, pattern] as const] : [];
  }),
);
