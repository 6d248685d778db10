import { expect, test } from 'vitest';
import { run } from './command.js';
import { newFile } from './files.js';
import { BODY, SIGNATURE, signing, verifying } from './signing.js';

const KEY = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const header = [`X-Signature: ${SIGNATURE}`];

test.each([[['x-signature']], [['standard']], [['standard', 'x-signature']]] as const)(
  'verify accepts the headers that sign prints with the schemes %j',
  async (scheme) => {
    const { out } = await signing(BODY, { secret: KEY, scheme });
    const lines = out.trim().split('\n');
    expect((await verifying(BODY, { secret: [KEY], header: lines })).code).toBe(0);
    expect((await verifying(`${BODY} `, { secret: [KEY], header: lines })).code).toBe(1);
  },
);

test.each<[string, string[], ('x-signature' | 'standard')[]]>([
  ['a secret of the other scheme before it', ['shhh', KEY], ['standard']],
  ['a secret of the other scheme after it', [KEY, 'shhh'], ['standard']],
  ['a secret for only one of two signatures', ['shhh'], ['standard', 'x-signature']],
])('verify accepts %s, as listen does', async (_, secret, scheme) => {
  const standard = await signing(BODY, { secret: KEY, scheme: ['standard'] });
  const lines = scheme.includes('x-signature') ? header : [];
  expect(await verifying(BODY, { secret, header: [...standard.out.trim().split('\n'), ...lines] })).toMatchObject({
    code: 0,
  });
});

test('verify refuses a secret that fits none of the signatures', async () => {
  const { out } = await signing(BODY, { secret: KEY, scheme: ['standard'] });
  await expect(verifying(BODY, { secret: ['shhh'], header: out.trim().split('\n') })).resolves.toMatchObject({
    message: expect.stringContaining('Expected `--secret` to be a key of 16 bytes or more in base64'),
  });
});

test('verify names a missing id or timestamp of Standard Webhooks as the cause', async () => {
  const { out } = await signing(BODY, { secret: KEY, scheme: ['standard'] });
  const signature = out
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('webhook-signature'));
  expect(await verifying(BODY, { secret: [KEY], header: signature })).toMatchObject({
    code: 1,
    message: expect.stringContaining('its id or timestamp is missing'),
  });
});

test('verify accepts a matching signature', async () => {
  const valid = { code: 0, out: 'valid  16 B\n', err: '' };
  expect(await verifying(BODY, { secret: ['shhh'], header })).toEqual(valid);
  expect(await verifying(BODY, { secret: ['new', 'shhh'], header })).toEqual(valid);
});

test('verify refuses a wrong signature with exit code 1', async () => {
  const fields = { signature: 'invalid', bytes: 16 };
  const failure = { code: 1, out: '', err: '', message: 'the signature does not match these 16 bytes', fields };
  expect(await verifying(BODY, { secret: ['another'], header })).toEqual(failure);
  expect(await verifying(BODY, { secret: ['shhh'], header: [`X-Signature: ${SIGNATURE.toUpperCase()}`] })).toEqual(
    failure,
  );
});

test.each(['\n', '\r\n'])('verify names the added line end %j as the cause', async (end) => {
  const verified = await verifying(BODY + end, { secret: ['shhh'], header });
  expect(verified.code).toBe(1);
  expect(verified).toHaveProperty(
    'message',
    expect.stringContaining('but does without the line end that follows them'),
  );
});

test('verify says when a signature is right but its time is too far off', async () => {
  const timestamp = Math.floor(Date.now() / 1_000) - 3_600;
  const { out } = await signing(BODY, { secret: KEY, scheme: ['standard'], timestamp });
  expect(await verifying(BODY, { secret: [KEY], header: out.trim().split('\n') })).toMatchObject({
    code: 1,
    message: expect.stringContaining(': the signature is right, but its time is more than 300 s from now'),
  });
});

test('verify --json prints a match on standard output', async () => {
  const { code, out, err } = await verifying(BODY, { secret: ['shhh'], header }, true);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toEqual({ signature: 'valid', bytes: 16 });
});

test('verify takes the secret from the environment and never prints it', async () => {
  const path = await newFile('body.json', BODY);
  const env = { EVENTFERRY_WEBHOOK_SECRET: 'shhh' };
  const right = await run(['verify', path, '--header', `X-Signature: ${SIGNATURE}`], env);
  const wrong = await run(['verify', path, '--header', 'X-Signature: x'], env);
  expect([right.code, wrong.code]).toEqual([0, 1]);
  expect(right.out + right.err + wrong.out + wrong.err).not.toContain('shhh');
});

test('verify refuses a header that is given twice, even in different case', async () => {
  const twice = [...header, 'x-signature: 00'];
  expect(await verifying(BODY, { secret: ['shhh'], header: twice })).toMatchObject({
    code: 2,
    message: 'expected each --header once, got x-signature twice',
  });
});
