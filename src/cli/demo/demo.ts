import { Argument } from 'commander';
import type { CliCommand } from '../command.js';
import { portOption } from '../options/argument-parsers.js';

export function demoCommand(command: CliCommand): void {
  command
    .description('send a git history through client, collector and webhook, and check every message')
    .addArgument(new Argument('[repository]', 'a git checkout').default(process.cwd(), 'this folder'))
    .addOption(portOption(0))
    .option('--once', 'end after the check, also on a terminal')
    .examples('demo', 'demo ~/src/project --once')
    .runs(async () => (await import('./run-demo.js')).runDemo);
}
