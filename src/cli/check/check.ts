import type { CliCommand } from '../command.js';
import { withCsvFlags } from '../import/csv-flags.js';
import { planArgument } from '../plan.js';

export function checkCommand(command: CliCommand): void {
  withCsvFlags(command)
    .description('check a file of messages against a tracking plan; the exit code is 1 when one differs')
    .addArgument(planArgument())
    .argument('<file>', 'messages, NDJSON or CSV, gzipped or not; - for standard input')
    .option('--summary', 'print only the number of violations of each kind')
    .examples(
      'check plan.json events.ndjson',
      'check plan.json 2023.ndjson.gz --summary',
      'check plan.json orders.csv --set type=track',
    )
    .runs(async () => (await import('./run-check.js')).runCheck);
}
