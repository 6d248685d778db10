import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type SignOptions, sign } from '../../src/cli/sign.js';
import { type VerifyOptions, verify } from '../../src/cli/verify.js';
import { sign as signatureOf } from '../../src/signature/sign.js';
import { run } from './command.js';
import { newFile, newFolder } from './files.js';
import { readableTerminal } from './terminal.js';

const BODY = '{"type":"track"}';
/** Of that body under `shhh`, known from elsewhere: `openssl dgst -sha1 -hmac shhh`. */
const SIGNATURE = 'dcfe4daa3996d393f746d4c978859203c949665d';

const signing = async (body: string, options: SignOptions, isJson = false) => {
  const { printed, terminal } = readableTerminal({ isJson });
  const code = await sign('-', options, terminal, Readable.from([Buffer.from(body)]));
  return { code, ...printed };
};

const verifying = async (body: string, options: VerifyOptions, isJson = false) => {
  const { printed, terminal } = readableTerminal({ isJson });
  const code = await verify('-', options, terminal, Readable.from([Buffer.from(body)]));
  return { code, ...printed };
};

describe('sign', () => {
  test('sign prints the header of its bytes', async () => {
    expect(await signing(BODY, { secret: 'shhh' })).toEqual({ code: 0, out: `X-Signature: ${SIGNATURE}\n`, err: '' });
  });

  test('sign reads a file byte for byte, with its line end', async () => {
    const path = await newFile('body.json', `${BODY}\n`);
    const { out } = await run(['sign', path], { EVENTFERRY_WEBHOOK_SECRET: 'shhh' });
    expect(out).toBe(`X-Signature: ${signatureOf(`${BODY}\n`, 'shhh')}\n`);
  });

  test('sign --standard prints the headers of Standard Webhooks, which verify takes', async () => {
    const timestamp = Math.floor(Date.now() / 1_000);
    const { out } = await signing(BODY, { secret: 'shhh', standard: true, id: 'm1', timestamp }, true);
    const { headers } = JSON.parse(out);
    expect(headers).toMatchObject({ 'X-Signature': SIGNATURE, 'webhook-id': 'm1' });
    const options = { secret: ['shhh'], standard: true, id: 'm1', timestamp, signature: headers['webhook-signature'] };
    expect((await verifying(BODY, options)).code).toBe(0);
    expect((await verifying(BODY, { ...options, id: 'm2' })).code).toBe(1);
  });
});

describe('verify', () => {
  test('verify accepts a matching signature', async () => {
    const valid = { code: 0, out: 'valid  16 B\n', err: '' };
    expect(await verifying(BODY, { secret: ['shhh'], signature: SIGNATURE })).toEqual(valid);
    expect(await verifying(BODY, { secret: ['new', 'shhh'], signature: SIGNATURE })).toEqual(valid);
  });

  test('verify refuses another signature with exit code 1', async () => {
    const failure = { code: 1, out: '', err: 'verify: the signature does not match these 16 bytes\n' };
    expect(await verifying(BODY, { secret: ['another'], signature: SIGNATURE })).toEqual(failure);
    expect(await verifying(BODY, { secret: ['shhh'], signature: SIGNATURE.toUpperCase() })).toEqual(failure);
  });

  test.each(['\n', '\r\n'])('verify names the added line end %j as the cause', async (end) => {
    const { code, err } = await verifying(BODY + end, { secret: ['shhh'], signature: SIGNATURE });
    expect(code).toBe(1);
    expect(err).toContain('but does without the line end that follows them');
  });

  test('verify --standard names a timestamp that is too old', async () => {
    const timestamp = Math.floor(Date.now() / 1_000) - 3_600;
    const { out } = await signing(BODY, { secret: 'shhh', standard: true, id: 'm1', timestamp }, true);
    const signature = JSON.parse(out).headers['webhook-signature'];
    const { code, err } = await verifying(BODY, { secret: ['shhh'], standard: true, id: 'm1', timestamp, signature });
    expect(code).toBe(1);
    expect(err).toMatch(/: its timestamp is 360\d s ago, and at most 300 s are allowed\n$/);
  });

  test('verify --json prints its result on standard output', async () => {
    const { code, out, err } = await verifying(BODY, { secret: ['another'], signature: SIGNATURE }, true);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(JSON.parse(out)).toMatchObject({ signature: 'invalid', bytes: 16 });
  });

  test('verify takes the secret from the environment and never prints it', async () => {
    const path = await newFile('body.json', BODY);
    const env = { EVENTFERRY_WEBHOOK_SECRET: 'shhh' };
    const right = await run(['verify', path, '--signature', SIGNATURE], env);
    const wrong = await run(['verify', path, '--signature', 'x'], env);
    expect([right.code, wrong.code]).toEqual([0, 1]);
    expect(right.out + right.err + wrong.out + wrong.err).not.toContain('shhh');
  });
});

describe('sign and verify without an option they need', () => {
  test.each([
    [() => signing(BODY, {}), 'no secret; give --secret SECRET or set EVENTFERRY_WEBHOOK_SECRET'],
    [() => verifying(BODY, { secret: ['s'] }), 'no signature; give --signature and the value of X-Signature'],
    [
      () => verifying(BODY, { secret: ['s'], signature: 'v1,x', standard: true }),
      'give --id, --timestamp and --signature',
    ],
  ])('%s', async (act, reason) => {
    await expect(act()).rejects.toThrow(reason);
  });

  test('sign refuses a missing file', async () => {
    const path = `${await newFolder()}/none.json`;
    const { code, err } = await run(['sign', path, '--secret', 's']);
    expect({ code, err }).toEqual({ code: 1, err: `sign: there is no file ${path}\n` });
  });
});
