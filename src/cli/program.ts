import { VERSION } from '../version.js';
import { audienceCommand } from './audience/audience.js';
import { backupCommand } from './backup.js';
import { checkCommand } from './check/check.js';
import { checkConfigCommand } from './check-config.js';
import { CliCommand, type CliContext } from './command.js';
import { compactCommand } from './compact.js';
import { completionCommand } from './completion/completion.js';
import { deliveriesCommand } from './deliveries/deliveries.js';
import { demoCommand } from './demo/demo.js';
import { devCommand } from './dev/dev.js';
import { importCommand } from './import/import.js';
import { journalCommand } from './journal/journal-command.js';
import { listenCommand } from './listen/listen.js';
import { sendCommand } from './send/send.js';
import { serveCommand } from './serve/serve.js';
import { signCommand } from './sign.js';
import { traitCommand } from './trait/trait.js';
import { typesCommand } from './types.js';
import { verifyCommand } from './verify.js';

/** The help group that also contains the command `help`. */
const MORE = 'More:';

type Define = (command: CliCommand) => void;

/** Functions that define the options, help and action of each command. An action loads its modules late, so help is fast. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, Define>>>> = {
  'Try it:': { demo: demoCommand, dev: devCommand },
  'Send messages:': { send: sendCommand, import: importCommand },
  'Tracking plans:': { types: typesCommand, check: checkCommand },
  'Receive webhooks:': { listen: listenCommand, sign: signCommand, verify: verifyCommand },
  'Inspect journals and stores:': { journal: journalCommand, deliveries: deliveriesCommand },
  'Keep a store:': { backup: backupCommand, compact: compactCommand },
  'Run the service:': {
    serve: serveCommand,
    'check-config': checkConfigCommand,
    audience: audienceCommand,
    trait: traitCommand,
  },
  [MORE]: { completion: completionCommand },
};

const EXAMPLES = [
  'demo',
  'dev --open',
  `send track --user u1 --event "Order Completed" --properties '{"total":42}'`,
  'import 2023.ndjson.gz --dry-run',
  'serve eventferry.yaml',
];

const AFTER = `
Exit codes: 0 done, 1 the answer is no, 2 wrong command line, 3 file, folder, port or store that
cannot be used, 4 refused or no answer, 130 interrupted, 141 output closed early.

Documentation: https://github.com/eventferry/eventferry/blob/main/docs/cli.md`;

export function createProgram(context: CliContext): CliCommand {
  const program = new CliCommand(context, 'eventferry')
    .description('Carries product events from a Node program to every system that needs them.')
    .version(VERSION, '-v, --version')
    .commandsGroup(MORE)
    .helpCommand(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
    });
  for (const [group, commands] of Object.entries(COMMANDS)) {
    for (const [name, define] of Object.entries(commands)) define(program.command(name).helpGroup(group));
  }
  return program.examples(...EXAMPLES).addHelpText('after', AFTER);
}
