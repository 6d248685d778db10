import { expect, test } from 'vitest';
import { run } from './command.js';
import { newFile } from './files.js';
import { BODY, SIGNATURE, signing, verifying } from './signing.js';

test('sign --standard prints headers of Standard Webhooks that verify accepts', async () => {
  const timestamp = Math.floor(Date.now() / 1_000);
  const { out } = await signing(BODY, { secret: 'shhh', standard: true, id: 'm1', timestamp }, true);
  const { headers } = JSON.parse(out);
  expect(headers).toMatchObject({ 'X-Signature': SIGNATURE, 'webhook-id': 'm1' });
  const options = { secret: ['shhh'], standard: true, id: 'm1', timestamp, signature: headers['webhook-signature'] };
  expect((await verifying(BODY, options)).code).toBe(0);
  expect((await verifying(BODY, { ...options, id: 'm2' })).code).toBe(1);
});

test('verify accepts a matching signature', async () => {
  const valid = { code: 0, out: 'valid  16 B\n', err: '' };
  expect(await verifying(BODY, { secret: ['shhh'], signature: SIGNATURE })).toEqual(valid);
  expect(await verifying(BODY, { secret: ['new', 'shhh'], signature: SIGNATURE })).toEqual(valid);
});

test('verify refuses another signature with exit code 1', async () => {
  const fields = { signature: 'invalid', bytes: 16 };
  const failure = { code: 1, out: '', err: '', message: 'the signature does not match these 16 bytes', fields };
  expect(await verifying(BODY, { secret: ['another'], signature: SIGNATURE })).toEqual(failure);
  expect(await verifying(BODY, { secret: ['shhh'], signature: SIGNATURE.toUpperCase() })).toEqual(failure);
});

test.each(['\n', '\r\n'])('verify names the added line end %j as the cause', async (end) => {
  const verified = await verifying(BODY + end, { secret: ['shhh'], signature: SIGNATURE });
  expect(verified.code).toBe(1);
  expect(verified).toHaveProperty(
    'message',
    expect.stringContaining('but does without the line end that follows them'),
  );
});

test('verify --standard names a timestamp that is too old', async () => {
  const timestamp = Math.floor(Date.now() / 1_000) - 3_600;
  const { out } = await signing(BODY, { secret: 'shhh', standard: true, id: 'm1', timestamp }, true);
  const signature = JSON.parse(out).headers['webhook-signature'];
  const verified = await verifying(BODY, { secret: ['shhh'], standard: true, id: 'm1', timestamp, signature });
  expect(verified).toMatchObject({
    code: 1,
    message: expect.stringMatching(/: its timestamp is 360\d s ago, and at most 300 s are allowed$/),
  });
});

test('verify --json prints a match on standard output', async () => {
  const { code, out, err } = await verifying(BODY, { secret: ['shhh'], signature: SIGNATURE }, true);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toEqual({ signature: 'valid', bytes: 16 });
});

test('verify takes the secret from the environment and never prints it', async () => {
  const path = await newFile('body.json', BODY);
  const env = { EVENTFERRY_WEBHOOK_SECRET: 'shhh' };
  const right = await run(['verify', path, '--signature', SIGNATURE], env);
  const wrong = await run(['verify', path, '--signature', 'x'], env);
  expect([right.code, wrong.code]).toEqual([0, 1]);
  expect(right.out + right.err + wrong.out + wrong.err).not.toContain('shhh');
});
