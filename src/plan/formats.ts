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
 * The formats that are checked, by form only: `2024-02-31` is a `date`. They are all regular expressions, because
 * generated code can contain those.
 */
export const FORMATS: ReadonlyMap<string, RegExp> = new Map(
  NAMES.flatMap((name) => {
    const format = fastFormats[name] as RegExp | { readonly validate: unknown };
    const pattern = format instanceof RegExp ? format : format.validate;
    return pattern instanceof RegExp ? [[name, pattern] as const] : [];
  }),
);
