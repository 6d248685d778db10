import type { Command } from 'commander';
import { integer } from './arguments.js';
import { jsonOption, type Surroundings, secretOption, secretsOption, terminalOf } from './options.js';
import type { SignOptions } from './sign.js';
import type { VerifyOptions } from './verify.js';

export function addSign(program: Command, surroundings: Surroundings): void {
  program
    .command('sign')
    .description('print the signature of a body as the header of a delivery')
    .argument('<file>', 'the body, byte for byte; `-` for standard input')
    .addOption(secretOption('what to sign with'))
    .option('--standard', 'the headers of Standard Webhooks as well')
    .option('--id <id>', 'the webhook-id (default: a random UUID)')
    .option('--timestamp <seconds>', 'the webhook-timestamp, in seconds since 1970 (default: now)', integer(0))
    .addOption(jsonOption())
    .action(async (file: string, options: SignOptions & { json?: boolean }) => {
      const { sign } = await import('./sign.js');
      surroundings.exit(await sign(file, options, terminalOf(surroundings, options)));
    });
}

export function addVerify(program: Command, surroundings: Surroundings): void {
  program
    .command('verify')
    .description('say whether a signature holds for a body, and exit with 1 when it does not')
    .argument('<file>', 'the body, byte for byte; `-` for standard input')
    .option('--signature <text>', 'the value of X-Signature, or of webhook-signature')
    .addOption(secretsOption('what it was signed with'))
    .option('--standard', 'verify the headers of Standard Webhooks instead')
    .option('--id <id>', 'the value of webhook-id')
    .option('--timestamp <seconds>', 'the value of webhook-timestamp', integer(0))
    .addOption(jsonOption())
    .action(async (file: string, options: VerifyOptions & { json?: boolean }) => {
      const { verify } = await import('./verify.js');
      surroundings.exit(await verify(file, options, terminalOf(surroundings, options)));
    });
}
