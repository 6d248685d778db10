import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Connection } from '../options/connection.js';
import type { Input } from './input.js';
import type { CsvOptions } from './mapping.js';

/** The options that ids and contents of messages depend on. */
export interface RowOptions extends CsvOptions {
  readonly salt?: string | undefined;
  readonly timezone?: string | undefined;
  readonly timestampUnit?: string | undefined;
}

/** The settings of an import by option. Values that may be secret are stored as digests. */
export type Settings = Readonly<Record<string, string>>;

export const WRITE_KEY = '--write-key';

const DIGEST = 'sha256:';

export function settingsOf(inputs: readonly Input[], options: RowOptions): Settings {
  const { salt, timezone, timestampUnit, map, set = [], nulls = [] } = options;
  const settings: Record<string, string> = { '--format': inputs.map(({ format }) => format).join(', ') };
  if (salt !== undefined && salt !== '') settings['--salt'] = digestOf(salt);
  if (timezone !== undefined) settings['--timezone'] = timezone;
  if (timestampUnit !== undefined) settings['--timestamp-unit'] = timestampUnit;
  const delimiters = inputs
    .filter(({ format }) => format === 'csv')
    .map((input) => options.delimiter ?? input.delimiter);
  if (delimiters.length > 0) settings['--delimiter'] = JSON.stringify(delimiters.join(' '));
  if (map !== undefined) settings['--map'] = '';
  for (const text of map ?? []) settings[`--map ${fieldOf(text)}`] = textOf(text);
  for (const text of set) settings[`--set ${fieldOf(text)}`] = digestOf(textOf(text));
  for (const text of nulls) settings[`--null ${text}`] = '';
  return settings;
}

/** The options that decide where rows go. A resumed import has to give them again. */
export const goals = ({ writeKey }: Connection, { rejects }: { rejects?: string | undefined }): Settings => ({
  [WRITE_KEY]: digestOf(writeKey),
  ...(rejects === undefined ? {} : { '--rejects': resolve(rejects) }),
});

/** Describes the differences. Returns undefined if there are none. */
export function differenceOf(before: Settings, now: Settings): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => before[name] !== now[name],
  );
  return names.length === 0 ? undefined : names.map((name) => describe(name, before[name], now[name])).join('; ');
}

function describe(name: string, before: string | undefined, now: string | undefined): string {
  if (before === undefined) return `${name} was not given`;
  if (before === '') return `${name} was given`;
  if (before.startsWith(DIGEST)) return now === undefined ? `${name} was given` : `${name} was another`;
  return now === undefined ? `${name} was ${before}` : `${name} was ${before}, now ${now}`;
}

const fieldOf = (text: string): string => text.slice(0, text.indexOf('='));

const textOf = (text: string): string => text.slice(text.indexOf('=') + 1);

const digestOf = (text: string): string => DIGEST + createHash('sha256').update(text).digest('base64url');
