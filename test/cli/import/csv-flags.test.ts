import { expect, test } from 'vitest';
import { checkCsvFlags } from '../../../src/cli/import/csv-flags.js';
import type { InputFile } from '../../../src/cli/import/input.js';

const input = (format: InputFile['format']): InputFile => {
  return { name: 'a', path: '/a', format, delimiter: ',', size: 1 };
};

test('options of CSV are refused if no file is CSV, and accepted if one is', () => {
  const flags = { set: ['type=track'] };
  expect(() => checkCsvFlags([input('ndjson')], flags)).toThrow('--set is for CSV, and a is read as NDJSON');
  expect(() => checkCsvFlags([input('ndjson'), input('csv')], flags)).not.toThrow();
  expect(() => checkCsvFlags([input('ndjson')], { null: undefined })).not.toThrow();
});
