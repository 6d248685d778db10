import type { Readable } from 'node:stream';
import { verify as holds } from '../signature/sign.js';
import { TOLERANCE_SECONDS, verifyStandard } from '../signature/standard.js';
import { readBody } from './body.js';
import { CliError, EXIT } from './cli-error.js';
import { secretGiven } from './secret.js';
import type { Terminal } from './terminal.js';

export interface VerifyOptions {
  /** The value of `X-Signature`, or with `standard` of `webhook-signature`. */
  readonly signature?: string | undefined;
  readonly secret?: readonly string[] | undefined;
  readonly standard?: boolean | undefined;
  readonly id?: string | undefined;
  /** In seconds since 1970. */
  readonly timestamp?: number | undefined;
}

/** Whether a signature holds for a body. */
type Check = (body: Uint8Array) => boolean;

/** Says whether the signature holds for the bytes of the body. */
export async function verify(
  name: string,
  options: VerifyOptions,
  terminal: Terminal,
  stdin: Readable = process.stdin,
): Promise<number> {
  const secrets = secretGiven(options.secret);
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const check = options.standard ? standardCheck(options, secrets, nowSeconds) : plainCheck(options, secrets);
  const body = await readBody(name, stdin);
  const bytes = body.length;
  if (check(body)) {
    terminal.print(`${terminal.style('green', 'valid')}  ${bytes} B`, { signature: 'valid', bytes });
    return EXIT.ok;
  }
  const reason = `the signature does not hold for these ${bytes} bytes${hint(body, check, options, nowSeconds)}`;
  if (terminal.isJson) terminal.print('', { signature: 'invalid', bytes, reason });
  else terminal.err.write(`verify: ${reason}\n`);
  return EXIT.failed;
}

function plainCheck({ signature }: VerifyOptions, secrets: readonly string[]): Check {
  if (signature === undefined) throw new CliError('which signature? Give --signature and the value of X-Signature');
  return (body) => holds(body, signature, secrets);
}

function standardCheck(
  { signature, id, timestamp }: VerifyOptions,
  secrets: readonly string[],
  nowSeconds: number,
): Check {
  if (signature === undefined || id === undefined || timestamp === undefined) {
    throw new CliError('--standard needs --id, --timestamp and --signature: the values of the three webhook headers');
  }
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
  return (body) => verifyStandard({ headers, body, secrets, nowSeconds });
}

/** What most often lies behind it. */
function hint(body: Uint8Array, check: Check, { standard, timestamp }: VerifyOptions, nowSeconds: number): string {
  const age = nowSeconds - (timestamp ?? nowSeconds);
  if (standard && Math.abs(age) > TOLERANCE_SECONDS) {
    const distance = age > 0 ? `${age} s ago` : `${-age} s ahead`;
    return `: its timestamp is ${distance}, and ${TOLERANCE_SECONDS} s are allowed`;
  }
  const isBareValid = body.at(-1) === NEWLINE && check(body.subarray(0, body.at(-2) === RETURN ? -2 : -1));
  return isBareValid ? ', but it does without the line end after the last of them' : '';
}

const [NEWLINE, RETURN] = [0x0a, 0x0d];
