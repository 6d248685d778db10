import { Option } from 'commander';
import { EVENT_TYPES } from '../../protocol/field-table.js';
import type { CliCommand } from '../command.js';
import { given, positive } from '../options/argument-parsers.js';
import { removal } from '../terminal/confirm.js';

const REASONS = ['permanent', 'retries-used', 'window-over', 'backlog-full'];

export function deliveriesCommand(command: CliCommand): void {
  command.description('look into the store of a destination or a service');
  filtered(ofStore(command, 'list'))
    .description('print dead letters and waiting deliveries')
    .option('--dead', 'only dead letters')
    .option('--waiting', 'only waiting deliveries')
    .examples('deliveries list ./deliveries --dead')
    .runs(async () => (await import('./show-deliveries.js')).listDeliveries);
  ofStore(command, 'explain')
    .description('print the state of one event at each webhook, and the reason')
    .argument('<id>', 'messageId of the event')
    .examples('deliveries explain ./deliveries order-42-completed')
    .runs(async () => (await import('./show-deliveries.js')).explainDelivery);
  changes(ofStore(command, 'replay'))
    .description('send dead letters again')
    .option('--send-to <webhook>', 'id or URL of the webhook that gets the letters of removed webhooks')
    .examples('deliveries replay ./deliveries --webhook https://customer.example.com/hook')
    .runs(async () => (await import('./change.js')).replayDeliveries);
  removal(changes(ofStore(command, 'discard')))
    .description('remove dead letters, or what waits, for good')
    .option('--waiting', 'waiting deliveries instead of dead letters')
    .examples(
      'deliveries discard ./deliveries --message-id order-42-completed',
      'deliveries discard ./deliveries --waiting --user u1',
      'deliveries discard ./deliveries --all --dry-run',
    )
    .runs(async () => (await import('./change.js')).discardIfSure);
}

const ofStore = (parent: CliCommand, name: string): CliCommand =>
  parent
    .command(name)
    .argument('<path>', 'folder of the lmdb store, or of the service')
    .option('--destination <name>', "only this destination, in a service's folder; or all");

// A destination normalizes the URLs of its webhooks, so `https://example.com` must become `https://example.com/`.
const webhookName = (text: string): string => (URL.canParse(text) ? new URL(text).href : given(text));

const filtered = (command: CliCommand): CliCommand =>
  command
    .addOption(new Option('--webhook <webhook>', 'only this webhook, by its URL or id').argParser(webhookName))
    .addOption(new Option('--type <type>', 'only messages of this type').choices(EVENT_TYPES))
    .option('--user <id>', 'only messages with this userId, or without one this anonymousId');

/** The options of commands that change dead letters. */
const changes = (command: CliCommand): CliCommand =>
  filtered(command)
    .option('--message-id <id>', 'only the event with this messageId', given)
    .addOption(new Option('--reason <reason>', 'only letters that died for this reason').choices(REASONS))
    .option('--from <time>', 'only events accepted at this time or later')
    .option('--to <time>', 'only events accepted before this time')
    .option('--all', 'all of them')
    .option('--rate <n>', 'most deliveries per second', positive)
    .option('--after <cursor>', 'continue an earlier run after the cursor that it printed');
