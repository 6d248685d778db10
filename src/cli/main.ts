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
    // A failure is never overwritten: a command whose output has failed may still end normally afterwards.
    process.exitCode ||= code;
  },
};
const program = createProgram(context);
const fail = (error: unknown): void => complain(program, context, error, process.argv.includes('--json'));

// A reader that closes early, such as `head`, never sees the result of the command, so the exit code is that of an end by
// SIGPIPE.
process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  process.stdout.on('error', () => {});
  if (error.code === 'EPIPE') context.exit(EXIT.brokenPipe);
  else fail(unusable(`cannot write to standard output: ${error.message}`));
  // A command that ends normally after a signal does so here, because `process.exit` could wait forever in the middle of an lmdb
  // transaction.
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
