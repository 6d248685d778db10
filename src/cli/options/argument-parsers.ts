import { Argument, InvalidArgumentError, Option } from 'commander';
import { isJsonObject, parseJson } from '../../base/text/decode.js';
import { lossIn } from '../../base/text/json-loss.js';
import { ENDPOINT_VARIABLE, SECRET_VARIABLE, WRITE_KEY_VARIABLE } from './connection.js';

// These functions parse the values of options. Commander puts the option's name in front of their errors.

export const integer =
  (from: number, to = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    const range = to === Number.MAX_SAFE_INTEGER ? `from ${from} up` : `from ${from} to ${to}`;
    throw new InvalidArgumentError(`Expected an integer ${range}.`);
  };

/** Refuses empty text, which a script passes if one of its variables is not set. */
export function given(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Expected a value.');
}

/** Parses a number above zero. */
export function positive(text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= LEAST && value <= Number.MAX_SAFE_INTEGER) return value;
  throw new InvalidArgumentError(`Expected a number from ${LEAST} up.`);
}

const LEAST = 0.001;

/** Parses the delimiter of CSV. `\t` stands for a tab, which is hard to type in a shell. */
export function delimiter(text: string): string {
  if (text === '\\t') return '\t';
  if (text !== '' && !/["\r\n]/.test(text)) return text;
  throw new InvalidArgumentError("Expected a text such as ';' or '\\t', without quotes and line ends.");
}

export const port = integer(0, 65_535);

/** Parses a JSON object. `@` followed by a file name is returned unchanged, and the file is read later. */
export function jsonObject(text: string): Record<string, unknown> | string {
  if (text.startsWith('@')) return text;
  // `"$(cat FILE)"` keeps the byte order mark of a file.
  const value = parseJson(text.replace(/^\ufeff/, ''));
  if (!isJsonObject(value)) {
    throw new InvalidArgumentError('Expected a JSON object such as \'{"total":42}\', or @FILE.');
  }
  const loss = lossIn(text, value);
  if (loss !== undefined) throw new InvalidArgumentError(`Expected JSON that can be read without a loss: ${loss}.`);
  return value;
}

/** Collects the values of an option that may be repeated. */
export const list = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** Collects the values `field=…` of an option that may be repeated, with each field only once. */
export function fields(text: string, before: readonly string[] = []): readonly string[] {
  const field = fieldOf(text);
  if (field === '') throw new InvalidArgumentError("Expected field=…, such as 'userId=customer'.");
  if (before.some((other) => fieldOf(other) === field)) throw new InvalidArgumentError(`${field} is given twice.`);
  return [...before, text];
}

const fieldOf = (text: string): string => text.slice(0, Math.max(0, text.indexOf('=')));

/** Marks an option as required in the help. The value may come from the option or its variable. */
export function required(option: Option): Option {
  option.description += ' (required)';
  return option;
}

// These options and arguments are used by more than one command.

export const portOption = (value: number): Option =>
  new Option('--port <port>', 'port to listen on; 0 takes any free port').argParser(port).default(value);
export const hostOption = (): Option =>
  new Option('--host <host>', 'address to listen on').argParser(given).default('127.0.0.1');
export const endpointOption = (): Option =>
  required(new Option('--endpoint <url>', 'base URL of the collector').env(ENDPOINT_VARIABLE));
export const writeKeyOption = (meaning: string): Option =>
  required(new Option('--write-key <key>', meaning).env(WRITE_KEY_VARIABLE));
export const secretOption = (meaning: string): Option => new Option('--secret <secret>', meaning).env(SECRET_VARIABLE);
export const secretsOption = (meaning: string): Option =>
  secretOption(`${meaning}; repeat it while one replaces another`).argParser(list);
export const formatOption = (...formats: readonly string[]): Option =>
  new Option('--format <format>', "format of the input (default: from the file's name)").choices(formats);
export const delimiterOption = (): Option =>
  new Option('--delimiter <text>', 'CSV: text between two values (default: a comma; a tab in .tsv)').argParser(
    delimiter,
  );

export const bodyArgument = (): Argument => new Argument('<file>', 'the body, byte for byte; - for standard input');
