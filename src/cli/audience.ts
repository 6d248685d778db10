import { Option } from 'commander';
import type { AdminOptions } from './audience/admin.js';
import type { SyncAudienceOptions } from './audience/sync.js';
import type { CliCommand } from './command.js';
import { SERVICE_VARIABLE, TOKEN_VARIABLE } from './connection.js';
import { delimiterOption, formatOption } from './options.js';

export function audienceCommand(command: CliCommand): void {
  command.description('sync the audiences of a running service, and show them');
  ofService(command, 'sync')
    .description('make the ids in a file the members of an audience')
    .argument('<file>', 'NDJSON, CSV, or text with one id per line, gzipped or not; - for standard input')
    .option('--name <name>', "name of the audience (default: from the file's name)")
    .addOption(formatOption('ndjson', 'csv', 'text'))
    .option('--column <name>', 'CSV: column that holds the ids (default: userId, or the only column)')
    .addOption(delimiterOption())
    .option('--allow-empty', 'accept a file without ids, and let every member leave')
    .examples('audience sync "High Value Users.csv" --column user_id', 'audience sync - --name Beta --format text')
    .runs(async (terminal, options: SyncAudienceOptions, file: string) => {
      const { syncAudience } = await import('./audience/sync.js');
      return syncAudience(file, options, terminal);
    });
  ofService(command, 'list')
    .description('print all audiences')
    .examples('audience list')
    .runs(async (terminal, options: AdminOptions) => {
      const { listAudiences } = await import('./audience/show.js');
      return listAudiences(options, terminal);
    });
  ofService(command, 'show')
    .description('print one audience, and the progress of its sync')
    .argument('<name>', 'name of the audience')
    .examples('audience show "High Value Users"')
    .runs(async (terminal, options: AdminOptions, name: string) => {
      const { showAudience } = await import('./audience/show.js');
      return showAudience(name, options, terminal);
    });
}

const ofService = (parent: CliCommand, name: string): CliCommand =>
  parent
    .command(name)
    .addOption(
      new Option('--url <url>', 'base URL of the service').env(SERVICE_VARIABLE).default('http://127.0.0.1:4100'),
    )
    .addOption(new Option('--token <token>', 'admin token of the service').env(TOKEN_VARIABLE));
