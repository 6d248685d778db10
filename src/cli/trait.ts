import type { AdminClient } from '../admin/admin-client.js';
import { plural } from '../base/text/plural.js';
import type { TraitReport } from '../service/api/answers.js';
import { EXIT } from './cli-error.js';
import type { CliCommand } from './command.js';
import { delimiterOption, formatOption } from './options.js';
import { type AdminOptions, adminOf, ofService, printSynced } from './service-command.js';
import type { Terminal } from './terminal.js';
import type { SyncTraitOptions } from './trait/sync.js';

export function traitCommand(command: CliCommand): void {
  command.description('sync the computed traits of a running service, and show them');
  ofService(command, 'sync')
    .description('make the values in a file those of a computed trait')
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
    .runs(async (terminal, options: AdminOptions & SyncTraitOptions, file: string) => {
      const admin = await adminOf(options);
      const { syncTrait } = await import('./trait/sync.js');
      return syncTrait(admin, file, options, terminal);
    });
  ofService(command, 'list')
    .description('print all computed traits')
    .examples('trait list')
    .runs(async (terminal, options: AdminOptions) => list(await adminOf(options), terminal));
  ofService(command, 'show')
    .description('print one computed trait, and the progress of its sync')
    .argument('<name>', 'name of the trait')
    .examples('trait show "Lifetime Value"')
    .runs(async (terminal, options: AdminOptions, name: string) => {
      const admin = await adminOf(options);
      print(await admin.trait(name), terminal);
      return EXIT.ok;
    });
}

async function list(admin: AdminClient, terminal: Terminal): Promise<number> {
  const traits = await admin.traits();
  for (const trait of traits) print(trait, terminal);
  terminal.note(plural(traits.length, 'computed trait'), { traits: traits.length });
  return EXIT.ok;
}

const print = (trait: TraitReport, terminal: Terminal): void => printSynced(trait, trait.users, 'user', terminal);
