import { Option } from 'commander';
import { MESSAGE_TYPES } from '../../protocol/field-table.js';
import type { CliCommand } from '../command.js';
import { endpointOption, positive, writeKeyOption } from '../options/argument-parsers.js';
import { removal } from '../terminal/confirm.js';

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
    .runs(onJournal(async () => (await import('./journal-stats.js')).journalStats));
  filtered(ofPath(command, 'list'))
    .description('print waiting messages and dead letters')
    .option('--dead', 'only dead letters')
    .option('--waiting', 'only waiting messages')
    .examples('journal list ./events --dead', 'journal list ./events --user u1 --json')
    .runs(onJournal(async () => (await import('./list.js')).listJournal));
  ofPath(command, 'show')
    .description('print one message in full and, if it was given up, the reason')
    .argument('<id>', 'messageId')
    .examples('journal show ./events 8b5a1e0c-5f3e-4a53-9a55-5a2f7d9a1c11')
    .runs(onJournal(async () => (await import('./show-journaled.js')).showJournaled));
}

/** Adds the commands that send or remove messages. */
function addChanges(command: CliCommand): void {
  filtered(ofPath(command, 'replay'))
    .description('send dead letters again, to any collector')
    .option('--all', 'all dead letters')
    .addOption(endpointOption())
    .addOption(writeKeyOption('write key of the source'))
    .addOption(timeoutOption('how long to try each letter while the collector does not answer'))
    .examples('journal replay ./events --code EVENTFERRY_RETRIES_EXHAUSTED --endpoint https://collector.example.com')
    .runs(onJournal(async () => (await import('./replay.js')).replayJournal));
  removal(filtered(ofPath(command, 'drop')))
    .description('remove dead letters and waiting messages for good')
    .option('--all', 'everything')
    .option(...TAKE_OVER)
    .examples('journal drop ./events --user u1', 'journal drop ./events --all --dry-run')
    .runs(onJournal(async () => (await import('./drop.js')).dropIfSure));
  ofPath(command, 'flush')
    .description('deliver what ended processes left behind')
    .addOption(endpointOption())
    .addOption(writeKeyOption('write key of the source'))
    .option('--any-source', 'also send what clients with other write keys left, with this one')
    .option(...TAKE_OVER)
    .addOption(timeoutOption('how long to try; the rest then stays'))
    .examples('journal flush ./events --endpoint https://collector.example.com')
    .runs(onJournal(async () => (await import('./flush.js')).flushJournal));
}

/** Loads a command on a journal, and lets it explain what the file system refuses. */
const onJournal =
  <Rest extends readonly unknown[], Code>(load: () => Promise<(path: string, ...rest: Rest) => Promise<Code>>) =>
  async () => {
    const [found, run] = await Promise.all([import('./found.js'), load()]);
    return (path: string, ...rest: Rest) => found.onJournal(path, () => run(path, ...rest));
  };

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
