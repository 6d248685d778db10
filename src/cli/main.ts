#!/usr/bin/env node
import { EXIT, unusable } from './cli-error.js';
import type { CliContext } from './command.js';
import { complain } from './complaint.js';
import { createProgram } from './program.js';

const context: CliContext = {
  out: process.stdout,
  err: process.stderr,
  exit: (code) => {
    process.exitCode = code;
  },
};
const program = createProgram(context);
const fail = (error: unknown): void => complain(program, context, error, process.argv.includes('--json'));

// The command is cut short by a reader that closes early, such as `head`, and ends as if by the signal SIGPIPE: its verdict is not known.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.brokenPipe);
  fail(unusable(`cannot write to standard output: ${error.message}`));
  process.exit();
});
// If nothing reads standard error, the exit code still reports the failure.
process.stderr.on('error', () => {});

try {
  await program.parseAsync();
} catch (error) {
  fail(error);
}
