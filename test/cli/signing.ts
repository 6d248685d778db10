import { Readable } from 'node:stream';
import type { CliError } from '../../src/cli/cli-error.js';
import { type SignOptions, sign } from '../../src/cli/sign.js';
import { type VerifyOptions, verify } from '../../src/cli/verify.js';
import { withStdin } from './stdin.js';
import { readableTerminal } from './terminal.js';

export const BODY = '{"type":"track"}';
/** The signature of `BODY` with `shhh`, computed independently: `openssl dgst -sha1 -hmac shhh`. */
export const SIGNATURE = 'dcfe4daa3996d393f746d4c978859203c949665d';

export const signing = async (body: string, options: SignOptions, isJson = false) => {
  const { printed, terminal } = readableTerminal({ isJson });
  await withStdin(Readable.from([Buffer.from(body)]), () => sign('-', options, terminal));
  return { code: 0, ...printed };
};

export const verifying = async (body: string, options: VerifyOptions, isJson = false) => {
  const { printed, terminal } = readableTerminal({ isJson });
  const verified = withStdin(Readable.from([Buffer.from(body)]), () => verify('-', options, terminal));
  const { code, ...error } = await verified.then(
    () => ({ code: 0 }),
    ({ exitCode, message, fields }: CliError) => ({ code: exitCode, message, fields }),
  );
  return { code, ...printed, ...error };
};
