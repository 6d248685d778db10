import { Option } from 'commander';
import type { CliCommand } from './command.js';
import { given } from './connection.js';
import { configOption, port } from './options.js';

interface ServeOptions {
  readonly config?: string | undefined;
  /** Instead of the one in the configuration. */
  readonly port?: number | undefined;
}

export function serveCommand(command: CliCommand): void {
  command
    .description('run collector and destinations as one service')
    .addOption(configOption())
    .addOption(
      new Option(
        '--port <port>',
        'port to listen on; 0 takes any free port (default: from the configuration)',
      ).argParser(port),
    )
    .examples('serve --config eventferry.yaml')
    .runs(async (terminal, options: ServeOptions) => {
      const config = given(options.config, 'no configuration', '--config FILE');
      const { runServe } = await import('./serve/run-serve.js');
      return runServe(config, options.port, terminal);
    });
}
