import { Option } from 'commander';
import type { CliCommand } from '../command.js';
import { port } from '../options/argument-parsers.js';
import { configArgument } from '../options/config.js';

export function serveCommand(command: CliCommand): void {
  command
    .description('run collector and destinations as one service')
    .addArgument(configArgument())
    .addOption(
      new Option(
        '--port <port>',
        'port to listen on; 0 takes any free port (default: from the configuration)',
      ).argParser(port),
    )
    .examples('serve eventferry.yaml', 'serve eventferry.yaml --json > service.log')
    .runs(async () => (await import('./run-serve.js')).runServe);
}
