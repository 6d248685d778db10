import { type Command, Option } from 'commander';
import { integer, positive } from './arguments.js';
import type { ChangeDeliveriesOptions, ListDeliveriesOptions, StoreOptions } from './deliveries.js';
import { type CliContext, jsonOption, secretOption, secretsOption, terminalOf } from './options.js';
import type { SignOptions } from './sign.js';
import type { VerifyOptions } from './verify.js';

export function addSign(program: Command, surroundings: CliContext): void {
  program
    .command('sign')
    .description('print the signature of a body as the header of a delivery')
    .argument('<file>', 'the body, byte for byte; `-` for standard input')
    .addOption(secretOption('what to sign with'))
    .option('--standard', 'the headers of Standard Webhooks as well')
    .option('--id <id>', 'the webhook-id (default: a random UUID)')
    .option('--timestamp <seconds>', 'the webhook-timestamp, in seconds since 1970 (default: now)', integer(0))
    .addOption(jsonOption())
    .action(async (file: string, options: SignOptions & { json?: boolean }) => {
      const { sign } = await import('./sign.js');
      surroundings.exit(await sign(file, options, terminalOf(surroundings, options)));
    });
}

export function addVerify(program: Command, surroundings: CliContext): void {
  program
    .command('verify')
    .description('say whether a signature holds for a body, and exit with 1 when it does not')
    .argument('<file>', 'the body, byte for byte; `-` for standard input')
    .option('--signature <text>', 'the value of X-Signature, or of webhook-signature')
    .addOption(secretsOption('what it was signed with'))
    .option('--standard', 'verify the headers of Standard Webhooks instead')
    .option('--id <id>', 'the value of webhook-id')
    .option('--timestamp <seconds>', 'the value of webhook-timestamp', integer(0))
    .addOption(jsonOption())
    .action(async (file: string, options: VerifyOptions & { json?: boolean }) => {
      const { verify } = await import('./verify.js');
      surroundings.exit(await verify(file, options, terminalOf(surroundings, options)));
    });
}

const TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias', 'delete'];
const REASONS = ['permanent', 'retries-used', 'window-over', 'backlog-full'];

const storeOption = (): Option =>
  new Option('--store <folder>', 'the folder of the lmdb store, or of a service').makeOptionMandatory();
const ofDestinationOption = (): Option =>
  new Option('--destination <name>', 'only of this destination, in the folder of a service');
// As a destination names its webhooks: `https://example.com` is `https://example.com/`.
const webhookName = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);
const ofEndpointOption = (): Option => new Option('--endpoint <url>', 'only of this webhook').argParser(webhookName);
const ofTypeOption = (): Option => new Option('--type <type>', 'only messages of this type').choices(TYPES);

export function addDeliveries(program: Command, surroundings: CliContext): void {
  const deliveries = program.command('deliveries').description('look into the store of a destination, or of a service');
  deliveries
    .command('list')
    .description('print dead letters and what waits')
    .addOption(storeOption())
    .addOption(ofDestinationOption())
    .option('--dead', 'only dead letters')
    .option('--waiting', 'only what waits')
    .addOption(ofEndpointOption())
    .addOption(ofTypeOption())
    .addOption(jsonOption())
    .action(async (options: ListDeliveriesOptions & { json?: boolean }) => {
      const { listDeliveries } = await import('./deliveries.js');
      surroundings.exit(await listDeliveries(options, terminalOf(surroundings, options)));
    });
  deliveries
    .command('explain')
    .description('say where one event stands at each webhook, and why')
    .argument('<id>', 'its messageId')
    .addOption(storeOption())
    .addOption(ofDestinationOption())
    .addOption(jsonOption())
    .action(async (id: string, options: StoreOptions & { json?: boolean }) => {
      const { explainDelivery } = await import('./deliveries.js');
      surroundings.exit(await explainDelivery(id, options, terminalOf(surroundings, options)));
    });
  addChange(deliveries, surroundings, { act: 'replay', description: 'let dead letters begin anew' });
  addChange(deliveries, surroundings, { act: 'discard', description: 'let go of dead letters for good' });
}

/** What is done with dead letters, however many. */
function addChange(
  deliveries: Command,
  surroundings: CliContext,
  { act, description }: { act: 'replay' | 'discard'; description: string },
): void {
  const command = deliveries
    .command(act)
    .description(description)
    .addOption(storeOption())
    .addOption(ofDestinationOption())
    .option('--id <id>', 'the one of this messageId')
    .addOption(ofEndpointOption())
    .addOption(ofTypeOption())
    .addOption(new Option('--reason <reason>', 'only what died for this reason').choices(REASONS))
    .option('--from <time>', 'only accepted then or later')
    .option('--to <time>', 'only accepted before then')
    .option('--all', 'all dead letters')
    .option('--rate <n>', 'the most deliveries a second', positive)
    .option('--after <cursor>', 'go on after this place, which an earlier run printed')
    .addOption(jsonOption())
    .action(async (options: ChangeDeliveriesOptions & { json?: boolean }) => {
      const { replayDeliveries, discardDeliveries } = await import('./deliveries.js');
      const run = act === 'replay' ? replayDeliveries : discardDeliveries;
      surroundings.exit(await run(options, terminalOf(surroundings, options)));
    });
  if (act === 'replay')
    command.option(
      '--send-to <webhook>',
      'the id or URL of the webhook that gets the letters of those configured no more',
    );
}
