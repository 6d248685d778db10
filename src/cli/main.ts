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
// Where nobody reads the errors, the exit code still tells of them.
process.stderr.on('error', () => {});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = end(error);
}

/** Prints why the program ends, and returns the exit code. */
function end(error: unknown): number {
  // Help that was not asked for stands in for a command that is missing.
  if (isHelp(error)) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const { text, record, exitCode } = complaintOf(
    error instanceof CommandError ? error : new CommandError(program, error),
  );
  const isJson = process.argv.includes('--json');
  process.stderr.write(`${isJson ? JSON.stringify(record) : text}\n`);
  return exitCode;
}
