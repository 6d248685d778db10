import type { Readable } from 'node:stream';
import { Option } from 'commander';
import { verify as holds } from '../signature/sign.js';
import { TOLERANCE_MS, verifyStandard } from '../signature/standard.js';
import { bodyArgument, integer, required, secretsOption } from './argument-parsers.js';
import { CliError, EXIT } from './cli-error.js';
import type { CliCommand } from './command.js';
import { secretOf } from './connection.js';
import { readBody } from './file.js';
import type { Terminal } from './terminal.js';

export interface VerifyOptions {
  /** The value of `X-Signature`, or of `webhook-signature` with `standard`. */
  readonly signature?: string | undefined;
  readonly secret?: readonly string[] | undefined;
  readonly standard?: boolean | undefined;
  readonly id?: string | undefined;
  /** In seconds since 1970. */
  readonly timestamp?: number | undefined;
}

export function verifyCommand(command: CliCommand): void {
  command
    .description('check the signature of a body; the exit code is 1 when it does not match')
    .addArgument(bodyArgument())
    .addOption(required(new Option('--signature <text>', 'value of X-Signature, or of webhook-signature')))
    .addOption(required(secretsOption('secret that signed it')))
    .option('--standard', 'check the headers of Standard Webhooks instead')
    .option('--id <id>', 'value of webhook-id')
    .option('--timestamp <seconds>', 'value of webhook-timestamp', integer(0))
    .examples('verify body.json --secret shhh --signature dcfe4daa3996d393f746d4c978859203c949665d')
    .runs((terminal, options: VerifyOptions, name: string) => verify(name, options, terminal));
}

/** Says whether a signature matches a body. */
type Check = (body: Uint8Array) => boolean;

/**
 * Prints whether the signature matches the bytes of the body.
 *
 * @throws CliError if it does not
 */
export async function verify(
  name: string,
  options: VerifyOptions,
  terminal: Terminal,
  stdin: Readable = process.stdin,
): Promise<number> {
  const secrets = secretOf(options.secret);
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const check = options.standard ? standardCheck(options, secrets, nowSeconds) : plainCheck(options, secrets);
  const body = await readBody(name, stdin);
  const bytes = body.length;
  if (check(body)) {
    terminal.print(`${terminal.style('green', 'valid')}  ${bytes} B`, { signature: 'valid', bytes });
    return EXIT.ok;
  }
  const reason = `the signature does not match these ${bytes} bytes${hint(body, check, options, nowSeconds)}`;
  throw new CliError(reason, { exitCode: EXIT.failed, fields: { signature: 'invalid', bytes } });
}

function plainCheck({ signature }: VerifyOptions, secrets: readonly string[]): Check {
  if (signature === undefined) throw new CliError('no signature; give --signature and the value of X-Signature');
  return (body) => holds(body, signature, secrets);
}

function standardCheck(
  { signature, id, timestamp }: VerifyOptions,
  secrets: readonly string[],
  nowSeconds: number,
): Check {
  if (signature === undefined || id === undefined || timestamp === undefined) {
    throw new CliError(
      '--standard needs the values of the three webhook headers; give --id, --timestamp and --signature',
    );
  }
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
  return (body) => verifyStandard({ headers, body, secrets, now: nowSeconds * 1_000 });
}

/** Names the likeliest cause. */
function hint(body: Uint8Array, check: Check, { standard, timestamp }: VerifyOptions, nowSeconds: number): string {
  const age = nowSeconds - (timestamp ?? nowSeconds);
  if (standard && Math.abs(age) * 1_000 > TOLERANCE_MS) {
    const distance = age > 0 ? `${age} s ago` : `${-age} s ahead`;
    return `: its timestamp is ${distance}, and at most ${TOLERANCE_MS / 1_000} s are allowed`;
  }
  const isBareValid = body.at(-1) === NEWLINE && check(body.subarray(0, body.at(-2) === RETURN ? -2 : -1));
  return isBareValid ? ', but does without the line end that follows them' : '';
}

const [NEWLINE, RETURN] = [0x0a, 0x0d];
