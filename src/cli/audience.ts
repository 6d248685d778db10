import type { AdminClient } from '../admin/admin-client.js';
import { plural } from '../base/text/plural.js';
import type { AudienceReport } from '../service/api/answers.js';
import type { SyncAudienceOptions } from './audience/sync.js';
import { EXIT } from './cli-error.js';
import type { CliCommand } from './command.js';
import { delimiterOption, formatOption } from './options.js';
import { type AdminOptions, adminOf, ofService, printSynced } from './service-command.js';
import type { Terminal } from './terminal.js';

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
    .option('--allow-standard-trait', 'make an audience whose trait is a standard one of a user, such as email')
    .examples('audience sync "High Value Users.csv" --column user_id', 'audience sync - --name Beta --format text')
    .runs(async (terminal, options: AdminOptions & SyncAudienceOptions, file: string) => {
      const admin = await adminOf(options);
      const { syncAudience } = await import('./audience/sync.js');
      return syncAudience(admin, file, options, terminal);
    });
  ofService(command, 'list')
    .description('print all audiences')
    .examples('audience list')
    .runs(async (terminal, options: AdminOptions) => list(await adminOf(options), terminal));
  ofService(command, 'show')
    .description('print one audience, and the progress of its sync')
    .argument('<name>', 'name of the audience')
    .examples('audience show "High Value Users"')
    .runs(async (terminal, options: AdminOptions, name: string) => {
      const admin = await adminOf(options);
      print(await admin.audience(name), terminal);
      return EXIT.ok;
    });
}

async function list(admin: AdminClient, terminal: Terminal): Promise<number> {
  const audiences = await admin.audiences();
  for (const audience of audiences) print(audience, terminal);
  terminal.note(plural(audiences.length, 'audience'), { audiences: audiences.length });
  return EXIT.ok;
}

const print = (audience: AudienceReport, terminal: Terminal): void =>
  printSynced(audience, audience.members, 'member', terminal);
