import { expect, test } from 'vitest';
import { sign as signatureOf } from '../../src/signature/sign.js';
import { run } from './command.js';
import { newFile, newFolder } from './files.js';
import { BODY, SIGNATURE, signing, verifying } from './signing.js';

test('sign prints the header of its bytes', async () => {
  expect(await signing(BODY, { secret: 'shhh' })).toEqual({ code: 0, out: `X-Signature: ${SIGNATURE}\n`, err: '' });
});

test('sign reads a file byte for byte, with its line end', async () => {
  const path = await newFile('body.json', `${BODY}\n`);
  const { out } = await run(['sign', path], { EVENTFERRY_WEBHOOK_SECRET: 'shhh' });
  expect(out).toBe(`X-Signature: ${signatureOf(`${BODY}\n`, 'shhh')}\n`);
});

test('sign without a secret is refused', async () => {
  await expect(signing(BODY, {})).rejects.toThrow('no secret; give --secret SECRET or set EVENTFERRY_WEBHOOK_SECRET');
});

test.each([
  [{ secret: ['s'] }, 'no signature; give --signature and the value of X-Signature'],
  [{ secret: ['s'], signature: 'v1,x', standard: true }, 'give --id, --timestamp and --signature'],
])('verify without an option it needs is refused: %j', async (options, reason) => {
  expect(await verifying(BODY, options)).toMatchObject({ code: 2, out: '', message: expect.stringContaining(reason) });
});

test('sign refuses a missing file', async () => {
  const path = `${await newFolder()}/none.json`;
  const { code, err } = await run(['sign', path, '--secret', 's']);
  expect({ code, err }).toEqual({ code: 3, err: `sign: there is no file: ${path}\n` });
});
