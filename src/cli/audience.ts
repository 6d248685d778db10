import { Option } from 'commander';
import type { AdminClient } from '../admin/admin-client.js';
import { formatCount, plural } from '../plural.js';
import { printable } from '../printable.js';
import type { AudienceReport } from '../service/api/answers.js';
import type { SyncAudienceOptions } from './audience/sync.js';
import { EXIT } from './cli-error.js';
import type { CliCommand } from './command.js';
import { given, SERVICE_VARIABLE, TOKEN_VARIABLE } from './connection.js';
import { delimiterOption, formatOption } from './options.js';
import type { Terminal } from './terminal.js';

interface AdminOptions {
  /** The base URL of the service. */
  readonly url: string;
  readonly token?: string | undefined;
}

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

const ofService = (parent: CliCommand, name: string): CliCommand =>
  parent
    .command(name)
    .addOption(
      new Option('--url <url>', 'base URL of the service').env(SERVICE_VARIABLE).default('http://127.0.0.1:4100'),
    )
    .addOption(new Option('--token <token>', 'admin token of the service').env(TOKEN_VARIABLE));

/** @throws CliError when there is no token */
async function adminOf({ url, token }: AdminOptions): Promise<AdminClient> {
  const options = { url, token: given(token, 'no token', `--token TOKEN or set ${TOKEN_VARIABLE}`) };
  const { AdminClient } = await import('../admin/admin-client.js');
  return new AdminClient(options);
}

async function list(admin: AdminClient, terminal: Terminal): Promise<number> {
  const audiences = await admin.audiences();
  for (const audience of audiences) print(audience, terminal);
  terminal.note(plural(audiences.length, 'audience'), { audiences: audiences.length });
  return EXIT.ok;
}

/** Prints one audience in one line. */
function print(audience: AudienceReport, terminal: Terminal): void {
  const { name, trait, members, syncedAt, sync } = audience;
  const parts = [
    terminal.style('bold', printable(name)),
    trait,
    plural(members, 'member'),
    syncedAt === null ? 'not synced yet' : `synced ${syncedAt}`,
  ];
  if (sync !== undefined) parts.push(`${sync.phase}, ${formatCount(sync.applied)} of ${formatCount(sync.received)}`);
  terminal.print(parts.join('  '), audience);
}
