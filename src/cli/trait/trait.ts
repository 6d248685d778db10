import { plural } from '../../base/text/plural.js';
import type { CliCommand } from '../command.js';
import { delimiterOption, formatOption } from '../options/argument-parsers.js';
import { ofService, withReports } from '../options/service-command.js';

export function traitCommand(command: CliCommand): void {
  command.description('sync the computed traits of a running service, and show them');
  ofService(command, 'sync')
    .description('replace the values of a computed trait with those in a file')
    .argument('<file>', 'NDJSON or CSV, gzipped or not; - for standard input')
    .option('--name <name>', "name of the trait (default: from the file's name)")
    .addOption(formatOption('ndjson', 'csv'))
    .option('--column <name>', 'CSV: column that holds the ids (default: userId)')
    .option(
      '--value <name>',
      'CSV: column that holds the values, as text or NAME:number, :boolean, :json (default: value)',
    )
    .addOption(delimiterOption())
    .option('--allow-empty', 'accept a file without values, and remove the value of every user')
    .examples('trait sync "Lifetime Value.csv" --column user_id --value ltv:number', 'trait sync - --name "Plan Tier"')
    .runs(async () => (await import('./sync-trait.js')).syncTrait);
  withReports(command, {
    noun: 'computed trait',
    field: 'traits',
    example: 'Lifetime Value',
    list: (admin) => admin.traits(),
    show: (admin, name) => admin.trait(name),
    users: ({ users }) => plural(users, 'user'),
  });
}
