import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { sign as signatureOf } from '../signature/sign.js';
import { standardHeaders } from '../signature/standard.js';
import { bodyArgument, integer, required, secretOption } from './argument-parsers.js';
import { EXIT } from './cli-error.js';
import type { CliCommand } from './command.js';
import { secretOf } from './connection.js';
import { readBody } from './file.js';
import type { Terminal } from './terminal.js';

export interface SignOptions {
  readonly secret?: string | undefined;
  /** Print the headers of Standard Webhooks as well. @default false */
  readonly standard?: boolean | undefined;
  readonly id?: string | undefined;
  /** In seconds since 1970. */
  readonly timestamp?: number | undefined;
}

export function signCommand(command: CliCommand): void {
  command
    .description('print the signature of a body, as the header of a delivery')
    .addArgument(bodyArgument())
    .addOption(required(secretOption('secret to sign with')))
    .option('--standard', 'print the headers of Standard Webhooks too')
    .option('--id <id>', 'the webhook-id (default: a random UUID)')
    .option('--timestamp <seconds>', 'the webhook-timestamp, in seconds since 1970 (default: now)', integer(0))
    .examples('sign body.json --secret shhh', 'sign - --secret shhh < body.json')
    .runs((terminal, options: SignOptions, name: string) => sign(name, options, terminal));
}

/** Prints the headers of a delivery with this body, in the form that `curl -H @-` reads. */
export async function sign(
  name: string,
  options: SignOptions,
  terminal: Terminal,
  stdin: Readable = process.stdin,
): Promise<number> {
  const secret = secretOf(options.secret);
  const body = await readBody(name, stdin);
  const headers = { 'X-Signature': signatureOf(body, secret), ...standardOf(body, secret, options) };
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  terminal.print(lines.join('\n'), { headers, bytes: body.length });
  return EXIT.ok;
}

function standardOf(body: Uint8Array, secret: string, options: SignOptions): Record<string, string> {
  const { standard, id = randomUUID(), timestamp = Math.floor(Date.now() / 1_000) } = options;
  return standard ? standardHeaders({ id, timestampSeconds: timestamp, body, secret }) : {};
}
