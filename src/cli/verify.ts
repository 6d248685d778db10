import { Option } from 'commander';
import { headerLookup } from '../signature/headers.js';
import {
  type AcceptedScheme,
  acceptedSchemes,
  schemes,
  schemesIn,
  usableSchemes,
  verifyAny,
} from '../signature/schemes.js';
import { listSecrets } from '../signature/secret.js';
import { TOLERANCE_MS } from '../signature/standard.js';
import { CliError, EXIT } from './cli-error.js';
import type { CliCommand } from './command.js';
import { bodyArgument, list, required, secretsOption } from './options/argument-parsers.js';
import { secretOf } from './options/connection.js';
import { readBody } from './options/file.js';
import type { Terminal } from './terminal/terminal.js';

export interface VerifyOptions {
  /** Headers as they were received: `X-Signature: dcfe…`. */
  readonly header?: readonly string[] | undefined;
  readonly secret?: readonly string[] | undefined;
}

export function verifyCommand(command: CliCommand): void {
  const header = new Option('-H, --header <line>', 'header of the delivery, as `sign` prints it; repeat it for each');
  command
    .description('check the signature of a body; the exit code is 1 when it does not match')
    .addArgument(bodyArgument())
    .addOption(required(header.argParser(list)))
    .addOption(required(secretsOption('secret that signed it')))
    .examples("verify body.json --secret shhh --header 'X-Signature: dcfe4daa3996d393f746d4c978859203c949665d'")
    .runs(async () => verify);
}

/** Tells whether a signature matches a body and is no older than `tolerance`. */
type Check = (body: Uint8Array, tolerance: number) => boolean;

/**
 * Prints whether a signature among the headers matches the bytes of the body.
 *
 * @throws CliError if none does
 */
export async function verify(name: string, options: VerifyOptions, terminal: Terminal): Promise<void> {
  const secrets = listSecrets(secretOf(options.secret), '--secret');
  const header = headerLookup(headersOf(options.header ?? []));
  const names = schemesIn(header);
  if (names.length === 0) throw new CliError(`no signature; give --header with the line of ${SIGNATURES.join(' or ')}`);
  const usable = usableSchemes(names, secrets);
  // Throws, and says why, if no secret is for any of the schemes.
  const accepted = usable.length > 0 ? usable : acceptedSchemes(names, secrets, '--secret');
  const now = Date.now();
  const check: Check = (body, tolerance) => verifyAny(accepted, { header, body, now, tolerance }) !== undefined;
  const body = await readBody(name);
  const bytes = body.length;
  if (check(body, TOLERANCE_MS)) {
    terminal.print(`${terminal.style('green', 'valid')}  ${bytes} B`, { signature: 'valid', bytes });
    return;
  }
  const reason = `the signature does not match these ${bytes} bytes${hint(body, check, accepted)}`;
  throw new CliError(reason, { exitCode: EXIT.failed, fields: { signature: 'invalid', bytes } });
}

/** @throws CliError if a line is not a header, or a header occurs twice */
function headersOf(lines: readonly string[]): Record<string, string> {
  const pairs = lines.map((line) => {
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new CliError("expected --header to be a name, a colon and a value: 'X-Signature: dcfe…'");
    }
    return [name, value] as const;
  });
  const names = pairs.map(([name]) => name.toLowerCase());
  const [name] = pairs.find((_, index) => names.indexOf(names[index] ?? '') < index) ?? [];
  if (name !== undefined) throw new CliError(`expected each --header once, got ${name} twice`);
  return Object.fromEntries(pairs);
}

const SIGNATURES = Object.values(schemes).map(({ signatureHeader }) => signatureHeader);

/** Names the most likely cause of a failed verification. */
function hint(body: Uint8Array, check: Check, accepted: readonly AcceptedScheme[]): string {
  if (check(body, Number.POSITIVE_INFINITY)) {
    return `: the signature is right, but its time is more than ${TOLERANCE_MS / 1_000} s from now`;
  }
  const isBareValid =
    body.at(-1) === NEWLINE && check(body.subarray(0, body.at(-2) === RETURN ? -2 : -1), TOLERANCE_MS);
  if (isBareValid) return ', but does without the line end that follows them';
  return accepted.map(({ scheme }) => scheme.otherFaults).join('');
}

const [NEWLINE, RETURN] = [0x0a, 0x0d];
