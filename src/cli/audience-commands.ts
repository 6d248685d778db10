import { type Command, Option } from 'commander';
import type { AdminOptions, SyncAudienceOptions } from './audience.js';
import { type CliContext, jsonOption, terminalOf } from './options.js';

const urlOption = (): Option =>
  new Option('--url <url>', 'where the service listens').env('EVENTFERRY_SERVICE_URL').default('http://127.0.0.1:4100');
const tokenOption = (): Option =>
  new Option('--token <token>', "the service's admin token").env('EVENTFERRY_ADMIN_TOKEN');

/** The commands that ask a running service about audiences. */
export function addAudience(program: Command, surroundings: CliContext): void {
  const audience = program.command('audience').description('sync the audiences of a running service, and look at them');
  audience
    .command('sync')
    .description('make the ids of a file the members of an audience; who joins or leaves is told of')
    .argument('<file>', 'NDJSON, CSV, or text with one id a line; gzipped or not; `-` for standard input')
    .option('--name <name>', "the audience's name (default: the file's)")
    .addOption(
      new Option('--format <format>', 'how the ids stand there (default: by the name)').choices([
        'ndjson',
        'csv',
        'text',
      ]),
    )
    .option('--column <name>', 'CSV: the column that holds the ids (default: `userId`, or the only one)')
    .option('--delimiter <text>', 'CSV: what stands between two values (default: a comma; in .tsv a tab)')
    .option('--allow-empty', 'take a file without ids: every member leaves')
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(jsonOption())
    .action(async (file: string, options: SyncAudienceOptions & { json?: boolean }) => {
      const { syncAudience } = await import('./audience.js');
      surroundings.exit(await syncAudience(file, options, terminalOf(surroundings, options)));
    });
  audience
    .command('list')
    .description('print all audiences')
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(jsonOption())
    .action(async (options: AdminOptions & { json?: boolean }) => {
      const { listAudiences } = await import('./audience.js');
      surroundings.exit(await listAudiences(options, terminalOf(surroundings, options)));
    });
  audience
    .command('show')
    .description('print one audience, and how far its change is')
    .argument('<name>', "the audience's name")
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(jsonOption())
    .action(async (name: string, options: AdminOptions & { json?: boolean }) => {
      const { showAudience } = await import('./audience.js');
      surroundings.exit(await showAudience(name, options, terminalOf(surroundings, options)));
    });
}
