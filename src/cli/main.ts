#!/usr/bin/env node
import { isHeard } from '../base/process/end-by-signal.js';
import { EXIT, unusable } from './cli-error.js';
import type { CliContext } from './command.js';
import { createProgram } from './program.js';
import { complain } from './terminal/complaint.js';
import { endAtUnheardSignals } from './terminal/interruption.js';

const context: CliContext = {
  out: process.stdout,
  err: process.stderr,
  exit: (code) => {
    // A failure stays one: a command whose output has failed may end in order after that.
    process.exitCode ||= code;
  },
};
const program = createProgram(context);
const fail = (error: unknown): void => complain(program, context, error, process.argv.includes('--json'));

// A reader that closes early, such as `head`, leaves the verdict of a command unknown: it ends as if by the signal SIGPIPE.
process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  process.stdout.on('error', () => {});
  if (error.code === 'EPIPE') context.exit(EXIT.brokenPipe);
  else fail(unusable(`cannot write to standard output: ${error.message}`));
  // A command that ends in order at a signal does so here: `process.exit` waits for ever in the middle of a transaction of lmdb.
  if (!isHeard('SIGTERM', process.pid === 1 ? 1 : 0)) process.exit();
  process.emit('SIGTERM', 'SIGTERM');
});
// If nothing reads standard error, the exit code still reports the failure.
process.stderr.on('error', () => {});

endAtUnheardSignals();
try {
  await program.parseAsync();
} catch (error) {
  fail(error);
}
