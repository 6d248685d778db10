import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { ServiceConnection } from '../options/connection.js';
import type { InputFile } from './input.js';
import type { CsvOptions } from './mapping.js';

/** The options that decide what a row becomes and where it goes. */
export interface RowOptions extends CsvOptions {
  readonly salt?: string | undefined;
  readonly timezone?: string | undefined;
  readonly timestampUnit?: string | undefined;
  /** The file for rejected rows. */
  readonly rejects?: string | undefined;
}

/** A digest of the inputs and of each option of an import, because some options are secret. */
export type Settings = Readonly<Record<string, string>>;

export const ENDPOINT = '--endpoint';
export const WRITE_KEY = '--write-key';

export function settingsOf(
  inputs: readonly InputFile[],
  { endpoint, writeKey }: ServiceConnection,
  { salt = '', timezone, timestampUnit, map, set, null: nulls, delimiter, rejects }: RowOptions,
): Settings {
  const csv = inputs.filter(({ format }) => format === 'csv');
  const settings = {
    'the input': inputs.map(({ path }) => path),
    [ENDPOINT]: endpoint,
    [WRITE_KEY]: writeKey,
    '--rejects': rejects && resolve(rejects),
    '--format': inputs.map(({ format }) => format),
    '--delimiter': csv.map((input) => delimiter ?? input.delimiter),
    '--salt': salt,
    '--timezone': timezone,
    '--timestamp-unit': timestampUnit,
    '--map': map?.toSorted(),
    '--set': set?.toSorted(),
    '--null': nulls?.toSorted(),
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, digestOf(value)]));
}

const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url');

/** Returns the names of the settings in which two imports differ. */
export const differencesOf = (before: Settings, now: Settings): readonly string[] =>
  Object.keys(now).filter((name) => before[name] !== now[name]);
