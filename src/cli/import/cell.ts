import { problemText } from '../../base/errors/errors.js';
import { describe } from '../../base/text/describe.js';

/** A cell that does not have the type that the command line gives its column. It rejects the row, not the file. */
export class CellError extends Error {
  override readonly name = 'CellError';
}

/** The type as which the text of a cell is read. */
export type Conversion = 'text' | 'number' | 'boolean' | 'json';

/** Splits a column and its type: `total:number`. Without a type, it is text. */
export function columnOf(source: string): { column: string; conversion: Conversion } {
  const [, column = source, conversion = 'text'] = /^(.*):(number|boolean|json)$/.exec(source) ?? [];
  return { column, conversion: conversion as Conversion };
}

/** @throws CellError if the text does not have the type */
export function convertCell(text: string, conversion: Conversion, column: string): unknown {
  if (conversion === 'number') return numberOf(text, column);
  if (conversion === 'boolean') return booleanOf(text, column);
  return conversion === 'json' ? jsonOf(text, column) : text;
}

function numberOf(text: string, column: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw wrong(column, 'a number', text);
}

function booleanOf(text: string, column: string): boolean {
  const word = text.trim().toLowerCase();
  if (['true', 'yes', '1'].includes(word)) return true;
  if (['false', 'no', '0'].includes(word)) return false;
  throw wrong(column, 'true or false', text);
}

function jsonOf(text: string, column: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong(column, 'JSON', text);
  }
}

const wrong = (column: string, expected: string, text: string): CellError =>
  new CellError(problemText(`column ${column}`, expected, describe(text)));
