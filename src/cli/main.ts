#!/usr/bin/env node
import { CommanderError } from 'commander';
import { printable } from '../printable.js';
import { EXIT, reasonOf } from './cli-error.js';
import { isHelp } from './command.js';
import { createProgram } from './program.js';

const program = createProgram({
  out: process.stdout,
  err: process.stderr,
  exit: (code) => {
    process.exitCode = code;
  },
});

// A reader that closes early, such as `head`, is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
);

try {
  await program.parseAsync();
} catch (error) {
  if (!isHelp(error)) complain(error);
  process.exitCode = error instanceof CommanderError ? error.exitCode : EXIT.failed;
}

function complain(error: unknown): void {
  const command = process.argv.slice(2).find((argument) => !argument.startsWith('-'));
  const message = printable(
    reasonOf(error)
      .replace(/^error: /, '')
      .replaceAll('\n', ' '),
  );
  const isJson = process.argv.includes('--json');
  process.stderr.write(
    `${isJson ? JSON.stringify({ error: { command, message } }) : `${command ?? 'eventferry'}: ${message}`}\n`,
  );
}
