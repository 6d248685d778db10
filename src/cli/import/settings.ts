import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Connection } from '../options/connection.js';
import type { Input } from './input.js';
import type { CsvOptions } from './mapping.js';

/** The options that decide what a row becomes and where it goes. */
export interface RowOptions extends CsvOptions {
  readonly salt?: string | undefined;
  readonly timezone?: string | undefined;
  readonly timestampUnit?: string | undefined;
  /** The file for rejected rows. */
  readonly rejects?: string | undefined;
}

/** The inputs, the collector and the options of an import. Values that may be secret are stored as digests. */
export type Settings = Readonly<Record<string, string>>;

export const ENDPOINT = '--endpoint';
export const WRITE_KEY = '--write-key';

const DIGEST = 'sha256:';

export function settingsOf(
  inputs: readonly Input[],
  { endpoint, writeKey }: Connection,
  { salt, timezone, timestampUnit, map, set, nulls, delimiter, rejects }: RowOptions,
): Settings {
  const csv = inputs.filter(({ format }) => format === 'csv');
  const settings = {
    'the input': JSON.stringify(inputs.map(({ path }) => path)),
    [ENDPOINT]: endpoint,
    [WRITE_KEY]: digestOf(writeKey),
    '--rejects': rejects && resolve(rejects),
    '--format': inputs.map(({ format }) => format).join(', '),
    '--delimiter': csv.length === 0 ? '' : JSON.stringify(csv.map((input) => delimiter ?? input.delimiter)),
    '--salt': salt && digestOf(salt),
    '--timezone': timezone,
    '--timestamp-unit': timestampUnit,
    '--map': map && JSON.stringify(map.toSorted()),
    '--set': set && digestOf(JSON.stringify(set.toSorted())),
    '--null': nulls && JSON.stringify(nulls.toSorted()),
  };
  return Object.fromEntries(Object.entries(settings).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** Describes the differences between two imports. Returns undefined if there are none. */
export function differenceOf(before: Settings, now: Settings): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const differences = names
    .filter((name) => before[name] !== now[name])
    .map((name) => describe(name, before[name], now[name]));
  return differences.length === 0 ? undefined : differences.join('; ');
}

function describe(name: string, before: string | undefined, now: string | undefined): string {
  if (before === undefined) return `${name} was not given`;
  if (before.startsWith(DIGEST)) return now === undefined ? `${name} was given` : `${name} was another`;
  return now === undefined ? `${name} was ${before}` : `${name} was ${before}, now ${now}`;
}

const digestOf = (text: string): string => DIGEST + createHash('sha256').update(text).digest('base64url');
