import { problemText } from '../../base/errors/errors.js';
import { parseJson } from '../../base/text/decode.js';
import { describe } from '../../base/text/describe.js';
import { adviceFor, isRounded, lossIn } from '../../base/text/json-loss.js';
import { RowError } from './row.js';

/** The type to which the text of a cell is converted. */
export type Conversion = 'text' | 'number' | 'boolean' | 'json';

export interface CsvColumn {
  readonly column: string;
  readonly index: number;
  readonly conversion: Conversion;
}

/**
 * Finds a column given as `total:number`, with its type. Without a type, it is text.
 *
 * @throws Error if there is no such column or type
 */
export function columnOf(source: string, header: readonly string[], advice: string, where = ''): CsvColumn {
  const [, column = source, conversion = 'text'] = /^(.*):(number|boolean|json)$/.exec(source) ?? [];
  const names = header.map((name) => name.trim());
  const [, untyped = '', type] = /^(.*):(.*)$/.exec(column) ?? [];
  if (!names.includes(column) && names.includes(untyped))
    throw new Error(`${where}there is no type "${type}"; give ${untyped}:number, :boolean or :json`);
  return { column, index: indexOfColumn(header, column, advice, where), conversion: conversion as Conversion };
}

/**
 * Returns the index of the column with that name.
 *
 * @throws Error if there is none, or if there are two, because each row would have two values
 */
export function indexOfColumn(header: readonly string[], column: string, advice: string, where = ''): number {
  const names = header.map((name) => name.trim());
  const index = names.indexOf(column);
  if (index === -1) throw new Error(`${where}there is no column "${column}"; ${advice} ${header.join(', ')}`);
  if (index === names.lastIndexOf(column)) return index;
  throw new Error(`two columns are named "${column}"; rename one of them`);
}

/** @throws RowError if the text does not have the type */
export function convertCell(text: string, conversion: Conversion, column: string): unknown {
  if (conversion === 'text') return text;
  const value = readAs(conversion, text);
  if (value === undefined) throw new RowError(problemText(`column ${column}`, EXPECTED[conversion], describe(text)));
  if (conversion === 'json') checkLoss(text, value, `column ${column}: `);
  const number = text.trim();
  if (conversion === 'number' && isRounded(number)) {
    throw new RowError(`column ${column}: ${adviceFor(number)}, or leave out :number`);
  }
  return value;
}

const EXPECTED = { number: 'a number', boolean: 'true or false', json: 'JSON' } as const;
const YES = ['true', 'yes', '1'];
const NO = ['false', 'no', '0'];

/** Returns undefined if the text does not have the type. */
function readAs(conversion: keyof typeof EXPECTED, text: string): unknown {
  if (conversion === 'json') return parseJson(text);
  if (conversion === 'boolean') {
    const word = text.trim().toLowerCase();
    return YES.includes(word) || (NO.includes(word) ? false : undefined);
  }
  // `Number` also accepts 0x10, 0b11 and 0o7, which are codes rather than amounts.
  const value = /^\s*[-+]?[.\d]/.test(text) && !/^\s*0[box]/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** @throws RowError if JSON.parse did not keep all of the JSON */
export function checkLoss(json: string, parsed: unknown, where = ''): void {
  const loss = lossIn(json, parsed);
  if (loss !== undefined) throw new RowError(`${where}${loss}`);
}
