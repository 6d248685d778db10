import { Option } from 'commander';
import type { CliCommand } from '../command.js';
import { endpointOption, writeKeyOption } from '../options/argument-parsers.js';
import { withCsvFlags } from './csv-flags.js';

export function importCommand(command: CliCommand): void {
  withCsvFlags(command)
    .description('send the messages in files: NDJSON or CSV, gzipped or not')
    .argument('<file...>', 'files to read, in this order; - for standard input')
    .addOption(endpointOption())
    .addOption(writeKeyOption('write key of the source'))
    .option('--timezone <zone>', 'zone of times without one: an IANA name, or an offset such as +02:00')
    .addOption(
      new Option('--timestamp-unit <unit>', 'unit of numeric timestamps since 1970').choices(['s', 'ms', 'us', 'ns']),
    )
    .option('--allow-now', 'date rows without a timestamp now')
    .option('--salt <text>', 'text that gives the rows of this file other ids than equal rows of another file')
    .option('--dry-run', 'check every row and send nothing; needs no --endpoint and --write-key')
    .option('--rejects <file>', 'write rejected rows here, with line number and reason')
    .option('--checkpoint <file>', 'note the progress here (default: the first file + .checkpoint)')
    .option('--restart', 'send everything, and do not continue after the last row of an earlier import')
    .option('--gzip', 'compress requests')
    .examples(
      'import 2023.ndjson 2024.ndjson.gz --rejects rejected.ndjson',
      'import orders.csv --dry-run --set type=track --set event=Ordered --map userId=customer --map timestamp=at',
      'import 2023.ndjson --restart',
    )
    .runs(async () => (await import('./run-import.js')).runImport);
}
