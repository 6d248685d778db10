import { expect, test } from 'vitest';
import { sign as signatureOf } from '../../src/signature/x-signature.js';
import { run } from './command.js';
import { newFile, newFolder } from './files.js';
import { BODY, SIGNATURE, signing, verifying } from './signing.js';

test('sign prints the header for the bytes of the body', async () => {
  expect(await signing(BODY, { secret: 'shhh' })).toEqual({ code: 0, out: `x-signature: ${SIGNATURE}\n`, err: '' });
});

test('sign uses the exact bytes of a file, including the line end', async () => {
  const path = await newFile('body.json', `${BODY}\n`);
  const { out } = await run(['sign', path], { EVENTFERRY_WEBHOOK_SECRET: 'shhh' });
  expect(out).toBe(`x-signature: ${signatureOf(`${BODY}\n`, 'shhh')}\n`);
});

test('sign without a secret is refused', async () => {
  await expect(signing(BODY, {})).rejects.toThrow('no secret; give --secret SECRET or set EVENTFERRY_WEBHOOK_SECRET');
});

test.each([
  [{ secret: ['s'] }, 'no signature; give --header with the line of webhook-signature or x-signature'],
  [{ secret: ['s'], header: ['X-Other: a'] }, 'no signature; give --header'],
  [{ secret: ['s'], header: ['x-signature'] }, 'expected --header to be a name, a colon and a value'],
  [{ header: ['x-signature: a'] }, 'no secret; give --secret SECRET'],
])('verify without an option it needs is refused: %j', async (options, reason) => {
  expect(await verifying(BODY, options)).toMatchObject({ code: 2, out: '', message: expect.stringContaining(reason) });
});

test('sign refuses a missing file', async () => {
  const path = `${await newFolder()}/none.json`;
  const { code, err } = await run(['sign', path, '--secret', 's']);
  expect({ code, err }).toEqual({ code: 3, err: `sign: there is no file: ${path} (ENOENT)\n` });
});
