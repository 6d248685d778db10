import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { authorities } from '../../../src/base/options/authorities.js';

const [one = '', other = ''] = rootCertificates;
const half = one.slice(0, one.length / 2);

test.each<[string, unknown]>([
  ['a certificate', one],
  ['bytes', Buffer.from(one)],
  ['a bundle with comment lines, as in operating systems', `# One\n${one}\n\n# Other: =====\n${other}\n`],
  ['a bundle from Windows', `\uFEFF${one}\n${other}`.replaceAll('\n', '\r\n')],
  ['a certificate under its older name', one.replaceAll(' CERTIFICATE', ' X509 CERTIFICATE')],
  ['a list of text and bytes', [one, new Uint8Array(Buffer.from(other))]],
])('trusted authorities may be given as %s', (_, value) => {
  expect(authorities.holds(value)).toBe(true);
});

const NO_PATH = undefined;
const PATH = 'If this is the path of a file, give what the file holds: readFileSync(path)';

test.each<[string, unknown, string, string | undefined]>([
  ['a word', 'nonsense', 'a string of 8 characters', PATH],
  ['a path', '/etc/ca.pem', 'a string of 11 characters', PATH],
  ['a list with a path', [one, 'ca.pem'], 'a list whose entry 1 is a string of 6 characters', PATH],
  ['an empty string', '', 'an empty string', NO_PATH],
  ['an empty list', [], 'an empty list', NO_PATH],
  ['a list with a gap', Array(1), 'a list whose entry 0 is undefined', NO_PATH],
  ['bytes without PEM', Buffer.from('secret'), 'a Uint8Array', NO_PATH],
  ['another type', { pem: one }, 'an object', NO_PATH],
  ['a key', '-----BEGIN PRIVATE KEY-----\nsecret\n', 'PEM of type PRIVATE KEY', NO_PATH],
  ['a certificate cut in half', half, 'PEM whose certificate 1 of 1 cannot be read', NO_PATH],
  ['a truncated bundle', `${one}\n${half}`, 'PEM whose certificate 2 of 2 cannot be read', NO_PATH],
  [
    'two certificates without a line break between them',
    one + other,
    'PEM whose certificate 1 of 1 cannot be read',
    NO_PATH,
  ],
  ['an indented certificate, which Node would not find', one.replace(/^/gm, ' '), 'a string of', NO_PATH],
])('trusted authorities may not be %s, and the error shows only the kind of the value', (_, value, received, hint) => {
  expect(authorities.holds(value)).toBe(false);
  expect(authorities.describe?.(value)).toEqual({ received: expect.stringContaining(received), hint });
});
