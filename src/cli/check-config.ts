import { CliError } from './cli-error.js';
import type { CliCommand } from './command.js';
import { given } from './connection.js';
import { configOption } from './options.js';

export function checkConfigCommand(command: CliCommand): void {
  command
    .description('print what the configuration of a service means, or every mistake in it')
    .argument('[file]', 'configuration, JSON or YAML')
    .addOption(configOption())
    .examples('check-config eventferry.yaml', 'check-config --config eventferry.yaml')
    .runs(async (terminal, { config }: { config?: string }, file?: string) => {
      if (file !== undefined && config !== undefined) {
        throw new CliError('two configurations; give the file either by itself or as --config FILE');
      }
      const path = given(file ?? config, 'no configuration', 'its file, or --config FILE as to serve');
      const { runCheckConfig } = await import('./check-config/run-check-config.js');
      return runCheckConfig(path, terminal);
    });
}
