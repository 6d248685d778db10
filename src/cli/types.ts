import { Option } from 'commander';
import type { CliCommand } from './command.js';
import { planArgument } from './plan.js';
import type { TypesOptions } from './types/run-types.js';

export function typesCommand(command: CliCommand): void {
  command
    .description('write the catalogue of a tracking plan in TypeScript, for `new Analytics({ events })`')
    .addArgument(planArgument())
    .addOption(new Option('--out <file>', 'the file to write (default: standard output)'))
    .examples('types plan.json --out src/events.ts')
    .runs(async (terminal, options: TypesOptions, plan: string) => {
      const { runTypes } = await import('./types/run-types.js');
      return runTypes(plan, options, terminal);
    });
}
