import { generateKeyPairSync, type KeyPairSyncResult, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import forge from 'node-forge';
import { onTestFinished } from 'vitest';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Where `cert` is. */
  readonly file: string;
  /** Where `key` is. */
  readonly keyFile: string;
}

/** An authority of the test's own, whose certificate nobody else has signed. */
export interface Authority extends Certificate {
  /** @param name what it is made out to: `IP:127.0.0.1`, `DNS:collector.test` */
  sign(name: string): Certificate;
}

const DAY_MS = 86_400_000;

/**
 * @param atEnd is given what removes its files. @default they are removed when the test ends
 * @param name what its own certificate is made out to
 */
export function createAuthority(
  atEnd: (act: () => void) => void = onTestFinished,
  name = 'DNS:authority.test',
): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  let made = 0;
  const create = (name: string, issuer?: Issuer): Certificate => {
    const { cert, key } = createCertificate(name, issuer);
    const [file, keyFile] = [join(folder, `${++made}.crt`), join(folder, `${made}.key`)];
    writeFileSync(file, cert);
    writeFileSync(keyFile, key);
    return { cert, key, file, keyFile };
  };
  const authority = create(name);
  return { ...authority, sign: (name) => create(name, authority) };
}

/** Making a pair takes a fifth of a second, so certificates share eight pairs. Those of one test have different ones. */
const keyPairs: KeyPairSyncResult<string, string>[] = [];
let certificates = 0;

function nextKeyPair(): KeyPairSyncResult<string, string> {
  const index = certificates++ % 8;
  keyPairs[index] ??= generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return keyPairs[index];
}

type Issuer = Pick<Certificate, 'cert' | 'key'>;

/** Without an issuer it signs itself, and may sign others. */
function createCertificate(subject: string, issuer?: Issuer): Issuer {
  const { publicKey, privateKey: key } = nextKeyPair();
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // A serial number is positive.
  certificate.serialNumber = `01${randomBytes(8).toString('hex')}`;
  certificate.validity.notBefore = new Date(Date.now() - DAY_MS);
  certificate.validity.notAfter = new Date(Date.now() + DAY_MS);
  const [kind, value = ''] = subject.split(/:(.*)/);
  const name = [{ name: 'commonName', value }];
  certificate.setSubject(name);
  certificate.setIssuer(issuer === undefined ? name : forge.pki.certificateFromPem(issuer.cert).subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: issuer === undefined },
    { name: 'subjectAltName', altNames: [kind === 'IP' ? { type: 7, ip: value } : { type: 2, value }] },
    { name: 'subjectKeyIdentifier' },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(issuer?.key ?? key), forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key };
}
