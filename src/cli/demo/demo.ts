import { Argument } from 'commander';
import type { CliCommand } from '../command.js';
import { portOption } from '../options/argument-parsers.js';
import type { DemoOptions } from './run-demo.js';

export function demoCommand(command: CliCommand): void {
  command
    .description('send a git history through client, collector and webhook, and check every message')
    .addArgument(new Argument('[repository]', 'a git checkout').default(process.cwd(), 'this folder'))
    .addOption(portOption(0))
    .option('--once', 'end after the check, also on a terminal')
    .examples('demo', 'demo ~/src/project --once')
    .runs(async (terminal, options: DemoOptions, repository: string) => {
      const { runDemo } = await import('./run-demo.js');
      return runDemo(repository, options, terminal);
    });
}
