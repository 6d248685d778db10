import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import { signatureHeaders } from '../signature/delivery-headers.js';
import {
  DEFAULT_SCHEMES,
  faultInSigningSecret,
  SCHEME_NAMES,
  type SignatureSchemeName,
  schemesOf,
  TIMED_SCHEMES,
} from '../signature/schemes.js';
import { assertNoFault } from '../signature/secret.js';
import { refuseUnused } from './cli-error.js';
import type { CliCommand } from './command.js';
import { bodyArgument, integer, required, secretOption } from './options/argument-parsers.js';
import { secretOf } from './options/connection.js';
import { readBody } from './options/file.js';
import type { Terminal } from './terminal/terminal.js';

export interface SignOptions {
  readonly secret?: string | undefined;
  /** @default x-signature */
  readonly scheme?: readonly SignatureSchemeName[] | undefined;
  readonly id?: string | undefined;
  /** The time of the signature, in seconds since 1970. */
  readonly timestamp?: number | undefined;
}

export function signCommand(command: CliCommand): void {
  command
    .description('print the signature of a body, as the header of a delivery')
    .addArgument(bodyArgument())
    .addOption(required(secretOption('secret to sign with')))
    .addOption(
      new Option('--scheme <name...>', 'how to sign; several print the headers of each')
        .choices(SCHEME_NAMES)
        .default(DEFAULT_SCHEMES),
    )
    .option('--id <id>', 'the webhook-id (default: a random UUID)')
    .option('--timestamp <seconds>', 'the webhook-timestamp, in seconds since 1970 (default: now)', integer(0))
    .examples('sign body.json --secret shhh', 'sign - --secret shhh < body.json')
    .runs(async () => sign);
}

/** Prints the headers of a delivery with this body, in the format that `curl -H @-` reads. */
export async function sign(name: string, options: SignOptions, terminal: Terminal): Promise<void> {
  const secret = secretOf(options.secret);
  const { scheme: names = DEFAULT_SCHEMES, id = randomUUID(), timestamp } = options;
  const signing = schemesOf(names);
  if (!signing.some(({ signsTime }) => signsTime)) {
    const given = { '--id': options.id, '--timestamp': timestamp };
    refuseUnused(
      given,
      `is for the scheme ${TIMED_SCHEMES}, not for ${names.join(', ')}; give --scheme ${TIMED_SCHEMES}`,
    );
  }
  assertNoFault('--secret', faultInSigningSecret(secret, signing));
  const body = await readBody(name);
  const delivery = { id, body, now: timestamp === undefined ? Date.now() : timestamp * 1_000 };
  const headers = signatureHeaders(delivery, signing, secret);
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  terminal.print(lines.join('\n'), { headers, bytes: body.length });
}
