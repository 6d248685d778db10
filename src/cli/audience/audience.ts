import { plural } from '../../base/text/plural.js';
import type { CliCommand } from '../command.js';
import { delimiterOption, formatOption } from '../options/argument-parsers.js';
import { ofService, withReports } from '../options/service-command.js';

export function audienceCommand(command: CliCommand): void {
  command.description('sync the audiences of a running service, and show them');
  ofService(command, 'sync')
    .description('replace the members of an audience with the ids in a file')
    .argument('<file>', 'NDJSON, CSV, or text with one id per line, gzipped or not; - for standard input')
    .option('--name <name>', "name of the audience (default: from the file's name)")
    .addOption(formatOption('ndjson', 'csv', 'text'))
    .option('--column <name>', 'CSV: column that holds the ids (default: userId, or the only column)')
    .addOption(delimiterOption())
    .option('--allow-empty', 'accept a file without ids, and let every member leave')
    .option('--allow-standard-trait', 'allow an audience whose trait is a standard trait of a user, such as email')
    .examples('audience sync "High Value Users.csv" --column user_id', 'audience sync - --name Beta --format text')
    .runs(async () => (await import('./sync-audience.js')).syncAudience);
  withReports(command, {
    noun: 'audience',
    field: 'audiences',
    example: 'High Value Users',
    list: (admin) => admin.audiences(),
    show: (admin, name) => admin.audience(name),
    users: ({ members }) => plural(members, 'member'),
  });
}
