import { problemText } from '../../base/errors/errors.js';
import { parseJson } from '../../base/text/decode.js';
import { describe } from '../../base/text/describe.js';
import { lossIn } from '../../base/text/json-loss.js';
import { RowError } from './row.js';

const BOOLEANS = new Map(Object.entries({ true: true, yes: true, 1: true, false: false, no: false, 0: false }));

/** The types to which the text of a cell is converted. Each reader returns undefined if the text does not have the type. */
const READERS = {
  text: { expected: 'a text', read: (text: string): unknown => text },
  number: { expected: 'a number', read: numberIn },
  boolean: { expected: 'true or false', read: (text: string) => BOOLEANS.get(text.trim().toLowerCase()) },
  json: { expected: 'JSON', read: parseJson },
};

export type Conversion = keyof typeof READERS;

export interface CsvColumn {
  readonly column: string;
  readonly index: number;
  readonly conversion: Conversion;
}

/**
 * Finds a column given as `total:number`, with its type. Without a type, it is text.
 *
 * @throws Error if there is no such column
 */
export function columnOf(source: string, header: readonly string[], advice: string): CsvColumn {
  const [, column = source, conversion = 'text'] = /^(.*):(number|boolean|json)$/.exec(source) ?? [];
  return { column, index: indexOfColumn(header, column, advice), conversion: conversion as Conversion };
}

/**
 * Returns the index of the column with that name.
 *
 * @throws Error if there is none, or if there are two, because each row would have two values
 */
export function indexOfColumn(header: readonly string[], column: string, advice: string): number {
  const names = header.map((name) => name.trim());
  const index = names.indexOf(column);
  if (index === -1) throw new Error(`there is no column "${column}"; ${advice} ${header.join(', ')}`);
  if (index === names.lastIndexOf(column)) return index;
  throw new Error(`two columns are named "${column}"; rename one of them`);
}

/** @throws RowError if the text does not have the type */
export function convertCell(text: string, conversion: Conversion, column: string): unknown {
  const { expected, read } = READERS[conversion];
  const value = read(text);
  if (value === undefined) throw new RowError(problemText(`column ${column}`, expected, describe(text)));
  if (conversion !== 'text') checkLoss(text, value, `column ${column}: `);
  return value;
}

function numberIn(text: string): number | undefined {
  // `Number` also accepts 0x10, 0b11 and 0o7, which are codes rather than amounts.
  const value = /^\s*[-+]?[.\d]/.test(text) && !/^\s*0[box]/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** @throws RowError if the parsed value is not all that the JSON says */
export function checkLoss(json: string, parsed: unknown, where = ''): void {
  const loss = lossIn(json, parsed);
  if (loss !== undefined) throw new RowError(`${where}${loss}`);
}
