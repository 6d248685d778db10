#!/usr/bin/env node
import { EXIT, unusable } from './cli-error.js';
import { CommandError, isHelp } from './command.js';
import { complaintOf } from './complaint.js';
import { createProgram } from './program.js';

const program = createProgram({
  out: process.stdout,
  err: process.stderr,
  exit: (code) => {
    process.exitCode = code;
  },
});

// A reader that closes early, such as `head`, is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  process.exit(end(unusable(`cannot write to standard output: ${error.message}`)));
});
// If nothing reads standard error, the exit code still reports the failure.
process.stderr.on('error', () => {});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = end(error);
}

/** Prints why the program ends, and returns the exit code. */
function end(error: unknown): number {
  // Commander prints help when a command is missing; that is a usage error.
  if (isHelp(error)) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const { text, record, exitCode } = complaintOf(
    error instanceof CommandError ? error : new CommandError(program, error),
  );
  const isJson = process.argv.includes('--json');
  process.stderr.write(`${isJson ? JSON.stringify(record) : text}\n`);
  return exitCode;
}
