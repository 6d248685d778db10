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

test.each([
  [() => signing(BODY, {}), 'no secret; give --secret SECRET or set EVENTFERRY_WEBHOOK_SECRET'],
  [() => verifying(BODY, { secret: ['s'] }), 'no signature; give --signature and the value of X-Signature'],
  [
    () => verifying(BODY, { secret: ['s'], signature: 'v1,x', standard: true }),
    'give --id, --timestamp and --signature',
  ],
])('sign or verify without an option it needs is refused (%#)', async (act, reason) => {
  await expect(act()).rejects.toThrow(reason);
});

test('sign refuses a missing file', async () => {
  const path = `${await newFolder()}/none.json`;
  const { code, err } = await run(['sign', path, '--secret', 's']);
  expect({ code, err }).toEqual({ code: 1, err: `sign: there is no file ${path}\n` });
});
