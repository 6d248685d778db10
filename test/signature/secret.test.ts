import { expect, test } from 'vitest';
import { OptionError } from '../../src/base/errors/errors.js';
import { resolveOptions } from '../../src/destination/settings/destination-options.js';
import { assertSecret, listSecrets } from '../../src/signature/secret.js';
import { standardHeaders, verifyStandard } from '../../src/signature/standard.js';
import { sign, verify } from '../../src/signature/x-signature.js';
import { createReceiver } from '../../src/webhooks/index.js';
import { sampleDelivery } from '../../src/webhooks/testing/index.js';

test.each([
  ['shhh', ['shhh']],
  [
    ['new', 'old'],
    ['new', 'old'],
  ],
])('listSecrets turns %j into the list %j', (given, expected) => {
  expect(listSecrets(given)).toEqual(expected);
});

test('a list of secrets stays the same when the given array changes, and its errors name the option', () => {
  const given = ['new', 'old'];
  const secrets = listSecrets(given);
  given.length = 0;
  expect(secrets).toEqual(['new', 'old']);
  expect(() => listSecrets(['shhh', ''], '--secret')).toThrow('Expected `--secret` to be');
});

test.each<[string, unknown, string]>([
  ['an empty secret', '', 'an empty string'],
  ['an empty secret among others', ['shhh', ''], 'an empty string'],
  ['a blank secret', '   ', 'nothing but white space'],
  ['a blank secret among others', ['shhh', '\t\n'], 'nothing but white space'],
  ['an empty array', [], 'an empty array'],
  ['an array of something else', ['shhh', 42], 'a number'],
  ['null in an array', [null], 'null'],
  ['an object', { key: 'shhh' }, 'an object'],
  ['null', null, 'null'],
])('%s is refused, and the error does not contain its value', (_, secrets, got) => {
  const message = `Expected \`secrets\` to be a non-empty string, or an array of them, got ${got}`;
  expect(() => listSecrets(secrets as string[])).toThrow(expect.objectContaining({ message }));
});

test.each([
  ['shhh\n', 'a text with white space around it'],
  [' shhh', 'a text with white space around it'],
  ['\u201cshhh\u201d', 'a text in quotes'],
  [`"whsec_${'A'.repeat(32)}`, 'a text in quotes'],
  ['\u200bshhh', 'a text with an invisible character at an end'],
  ['\u200bwhpk_AAAA', 'a text with an invisible character at an end'],
  [`$\{WEBHOOK_SECRET}`, 'the text of a missing value'],
  ['{{ secret }}', 'the text of a missing value'],
  ['None', 'the text of a missing value'],
  [`WEBHOOK_SECRET=whsec_${'A'.repeat(32)}`, 'a text before `whsec_`'],
  [`export SECRET: whsec_${'A'.repeat(32)}`, 'a text before `whsec_`'],
  [`b'whsec_${'A'.repeat(32)}`, 'a text before `whsec_`'],
  [`whsec_whsec_${'A'.repeat(32)}`, 'a text before `whsec_`'],
  [`V1,whsec_${'A'.repeat(32)}`, 'a signature'],
  [`whsec_${'A'.repeat(33)}`, 'something else', 'base64 after `whsec_`'],
  [`whsec_${'A'.repeat(32)}=`, 'something else', 'base64 after `whsec_`'],
  [`whsec_${'A'.repeat(34)}=`, 'something else', 'base64 after `whsec_`'],
  [`whsec_${'A'.repeat(31)}_`, 'something else', 'base64 after `whsec_`'],
  ['"shhh"', 'a text in quotes'],
  ["'shhh'", 'a text in quotes'],
  ['undefined', 'the text of a missing value'],
  ['null', 'the text of a missing value'],
  ['[object Object]', 'the text of a missing value'],
  ['v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=', 'a signature'],
  ['v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a signature'],
  ['whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=', 'a public key'],
  ['WHPK_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=', 'a public key'],
  ['whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfV', 'a private key'],
  ['WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a prefix that is not in lower case'],
  ['whsec_', 'something else', 'base64 after `whsec_`'],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw!', 'something else', 'base64 after `whsec_`'],
])(
  'both the sender and the receiver refuse the secret %j, which is evidently a mistake',
  (slip, got, expected = 'a non-empty string') => {
    const refusal = expect.objectContaining({
      code: expect.stringMatching(/_INVALID_OPTION$/),
      expected: expect.stringContaining(expected),
      received: expect.stringContaining(got),
    });
    const now = Date.now();
    const ends: (() => unknown)[] = [
      () => sign('{}', slip),
      () => verify('{}', 'a', slip),
      () => verify('{}', 'a', ['right', slip]),
      () => standardHeaders({ id: 'a', timestampSeconds: 1, body: '{}', secret: slip }),
      () => verifyStandard({ headers: {}, body: '{}', secrets: slip, now }),
      () => createReceiver({ secrets: slip, onEvent() {} }),
      () => createReceiver({ secrets: slip, onEvent() {}, accept: ['standard'] }),
      () => sampleDelivery('track', { secret: slip }),
      () => resolveOptions({ webhooks: [{ url: 'https://example.com/' }], sharedSecret: slip }),
      () => resolveOptions({ webhooks: [{ url: 'https://example.com/', secret: slip }] }),
    ];
    for (const end of ends) expect(end).toThrow(refusal);
  },
);

test('a secret that merely resembles a mistake is accepted for X-Signature', () => {
  for (const secret of ['my undefined secret', 'it"s', 'v1', 'whsec', 'null-1'])
    expect(listSecrets(secret)).toEqual([secret]);
});

test('the error for a wrong secret names the option that it came from', () => {
  expect(() => assertSecret('secret', '')).toThrow(OptionError);
  expect(() => assertSecret('secret', '')).toThrow('`secret`');
});
