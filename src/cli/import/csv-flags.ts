import { refuseUnused } from '../cli-error.js';
import type { CliCommand } from '../command.js';
import { delimiterOption, fields, formatOption, list } from '../options/argument-parsers.js';
import type { InputFile, InputOptions } from './input.js';
import { type CsvOptions, checkFields } from './mapping.js';

export const withCsvFlags = (command: CliCommand): CliCommand =>
  command
    .addOption(formatOption('ndjson', 'csv'))
    .option('--map <field=column>', 'CSV: fill a field from a column; :number, :boolean or :json converts', fields)
    .option('--set <field=value>', 'CSV: fill a field of every row', fields)
    .option('--null <text>', 'CSV: leave out cells of this text, as if empty', list)
    .addOption(delimiterOption());

/** @throws CliError if the options of CSV are wrong for every file, or if they are given and no file is CSV */
export function checkCsvFlags(
  inputs: readonly InputFile[],
  { map, set, null: nulls, delimiter }: CsvOptions & InputOptions,
): void {
  checkFields({ map, set });
  if (inputs.some(({ format }) => format === 'csv')) return;
  refuseForCsv({ '--map': map, '--set': set, '--null': nulls, '--delimiter': delimiter }, inputs[0]);
}

/** @throws CliError for the first given CSV option, because the input has another format */
export function refuseForCsv(
  given: Readonly<Record<string, unknown>>,
  input: Pick<InputFile, 'name' | 'format'> | undefined,
): void {
  const format = input?.format === 'text' ? 'text' : 'NDJSON';
  refuseUnused(given, `is for CSV, and ${input?.name} is read as ${format}; give --format csv to read it as CSV`);
}
