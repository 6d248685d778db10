import { Option } from 'commander';
import { MESSAGE_TYPES } from '../../protocol/field-table.js';
import { EXIT } from '../cli-error.js';
import type { CliCommand } from '../command.js';
import { endpointOption, positive, writeKeyOption } from '../options/argument-parsers.js';
import { mayRemove, type RemovalOptions, removal } from '../terminal/confirm.js';
import type { DropJournalOptions } from './drop.js';
import type { FlushJournalOptions } from './flush.js';
import type { ListJournalOptions } from './list.js';
import type { ReplayJournalOptions } from './replay.js';

/** The command cannot tell whether a process on another host without a socket still lives. */
const TAKE_OVER = [
  '--take-over',
  'take over the messages of clients that cannot be checked (another machine or container, no socket); give it only when they have ended',
] as const;

export function journalCommand(command: CliCommand): void {
  command.description("look into a client's journal, and deliver what a process has left there");
  addReaders(command);
  addChanges(command);
}

/** Adds the commands that only read. */
function addReaders(command: CliCommand): void {
  ofPath(command, 'stats')
    .description('count what waits and what could not be delivered')
    .examples('journal stats ./events')
    .runs(async (terminal, _: object, path: string) => {
      const { journalStats } = await import('./journal-stats.js');
      return onJournal(path, () => journalStats(path, terminal));
    });
  filtered(ofPath(command, 'list'))
    .description('print waiting messages and dead letters')
    .option('--dead', 'only dead letters')
    .option('--waiting', 'only waiting messages')
    .examples('journal list ./events --dead', 'journal list ./events --user u1 --json')
    .runs(async (terminal, options: ListJournalOptions, path: string) => {
      const { listJournal } = await import('./list.js');
      return onJournal(path, () => listJournal(path, options, terminal));
    });
  ofPath(command, 'show')
    .description('print one message whole, and why it was given up if it was')
    .argument('<id>', 'messageId')
    .examples('journal show ./events 8b5a1e0c-5f3e-4a53-9a55-5a2f7d9a1c11')
    .runs(async (terminal, _: object, path: string, id: string) => {
      const { showJournaled } = await import('./show-journaled.js');
      return onJournal(path, () => showJournaled(path, id, terminal));
    });
}

/** Adds the commands that send or remove messages. */
function addChanges(command: CliCommand): void {
  filtered(ofPath(command, 'replay'))
    .description('send dead letters again, to any collector')
    .option('--all', 'all dead letters')
    .addOption(endpointOption())
    .addOption(writeKeyOption('write key of the source'))
    .addOption(timeoutOption('try each letter for so long while the collector does not answer'))
    .examples('journal replay ./events --code EVENTFERRY_RETRIES_EXHAUSTED --endpoint https://collector.example.com')
    .runs(async (terminal, options: ReplayJournalOptions, path: string) => {
      const { replayJournal } = await import('./replay.js');
      return onJournal(path, () => replayJournal(path, options, terminal));
    });
  removal(filtered(ofPath(command, 'drop')))
    .description('remove dead letters and waiting messages for good')
    .option('--all', 'everything')
    .option(...TAKE_OVER)
    .examples('journal drop ./events --user u1', 'journal drop ./events --all --dry-run')
    .runs(async (terminal, { dryRun, yes, takeOver, ...filter }: DropJournalOptions & RemovalOptions, path: string) => {
      const { dropJournaled, meantIn } = await import('./drop.js');
      const options = { dryRun, yes, all: filter.all };
      if (
        !(await mayRemove(options, ['Drop', 'dropped'], () => onJournal(path, () => meantIn(path, filter)), terminal))
      )
        return EXIT.ok;
      return onJournal(path, () => dropJournaled(path, { ...filter, takeOver }, terminal));
    });
  ofPath(command, 'flush')
    .description('deliver what ended processes left behind')
    .addOption(endpointOption())
    .addOption(writeKeyOption('write key of the source'))
    .option('--any-source', 'send with this write key what clients with another one left, too')
    .option(...TAKE_OVER)
    .addOption(timeoutOption('stop after so long; the rest stays'))
    .examples('journal flush ./events --endpoint https://collector.example.com')
    .runs(async (terminal, options: FlushJournalOptions, path: string) => {
      const { flushJournal } = await import('./flush.js');
      return onJournal(path, () => flushJournal(path, options, terminal));
    });
}

/** Runs a command on a journal. Only such a command loads its code. */
async function onJournal<T>(path: string, act: () => Promise<T>): Promise<T> {
  const found = await import('./found.js');
  return found.onJournal(path, act);
}

const timeoutOption = (description: string): Option =>
  new Option('--timeout <seconds>', description).argParser(positive).default(60);

const ofPath = (parent: CliCommand, name: string): CliCommand =>
  parent.command(name).argument('<path>', 'folder of the journal');

const filtered = (command: CliCommand): CliCommand =>
  command
    .addOption(new Option('--type <type>', 'only messages of this type').choices(MESSAGE_TYPES))
    .option('--event <name>', 'only this event')
    .option('--user <id>', 'only messages of this userId')
    .option('--anonymous <id>', 'only messages of this anonymousId')
    .option('--previous <id>', 'only messages of this previousId')
    .option('--message-id <id>', 'only the message with this messageId')
    .option('--code <code>', 'only dead letters with this code')
    .option('--from <time>', 'only messages with this timestamp or a later one')
    .option('--to <time>', 'only messages with an earlier timestamp');
