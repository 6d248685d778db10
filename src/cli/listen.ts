import { Option } from 'commander';
import type { CliCommand } from './command.js';
import type { ListenOptions } from './listen/run-listen.js';
import { hostOption, integer, portOption, secretsOption } from './options.js';

export function listenCommand(command: CliCommand): void {
  command
    .description('receive webhooks, print each, and answer as told')
    .addOption(portOption(4200))
    .addOption(hostOption())
    .addOption(secretsOption('secret that the signature is checked with'))
    .option('--status <list>', 'answers in turn: statuses, hang, reset, slow; the last one stays', '200')
    .option('--repeat', 'start the list of answers again instead of staying at the last')
    .addOption(new Option('--delay <ms>', 'wait before each answer').argParser(integer(0, 3_600_000)).default(0))
    .option('--hang', 'never answer')
    .option('--reset', 'reset the connection instead of answering')
    .option('--slow-body', 'send the body of the answer byte by byte')
    .option('--body', 'print the body of each delivery')
    .examples('listen --secret shhh', 'listen --status 500,hang,200')
    .runs(async (terminal, options: ListenOptions) => {
      const { runListen } = await import('./listen/run-listen.js');
      return runListen(options, terminal);
    });
}
