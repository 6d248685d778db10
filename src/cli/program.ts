import { VERSION } from '../version.js';
import { audienceCommand } from './audience.js';
import { checkCommand } from './check.js';
import { checkConfigCommand } from './check-config.js';
import { CliCommand, type CliContext } from './command.js';
import { compactCommand } from './compact.js';
import { deliveriesCommand } from './deliveries.js';
import { demoCommand } from './demo.js';
import { devCommand } from './dev.js';
import { importCommand } from './import.js';
import { journalCommand } from './journal.js';
import { listenCommand } from './listen.js';
import { sendCommand } from './send.js';
import { serveCommand } from './serve.js';
import { signCommand } from './sign.js';
import { traitCommand } from './trait.js';
import { typesCommand } from './types.js';
import { verifyCommand } from './verify.js';

/** Each adds its options, its help and its action. What an action needs is loaded when it runs, so that help is there at once. */
const COMMANDS: Readonly<Record<string, (command: CliCommand) => void>> = {
  demo: demoCommand,
  dev: devCommand,
  send: sendCommand,
  import: importCommand,
  types: typesCommand,
  check: checkCommand,
  listen: listenCommand,
  sign: signCommand,
  verify: verifyCommand,
  journal: journalCommand,
  deliveries: deliveriesCommand,
  compact: compactCommand,
  serve: serveCommand,
  'check-config': checkConfigCommand,
  audience: audienceCommand,
  trait: traitCommand,
};

export function createProgram(context: CliContext): CliCommand {
  const program = new CliCommand(context, 'eventferry')
    .description('Carries product events from a Node program to every system that needs them.')
    .version(VERSION, '-v, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
    });
  for (const [name, define] of Object.entries(COMMANDS)) define(program.command(name));
  return program;
}
