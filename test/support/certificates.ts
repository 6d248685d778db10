import { generateKeyPairSync, type KeyPairSyncResult, privateEncrypt, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import forge from 'node-forge';
import { onTestFinished } from 'vitest';
import { runFolder } from './run-folder.js';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The path of the file with `cert`. */
  readonly file: string;
  /** The path of the file with `key`. */
  readonly keyFile: string;
}

/** A certificate authority of the test, whose certificate nobody else has signed. */
export interface Authority extends Certificate {
  /** @param name the subject: `IP:127.0.0.1`, `DNS:collector.test` */
  sign(name: string): Certificate;
}

const DAY_MS = 86_400_000;

/**
 * @param atEnd called with a function that removes the files. @default they are removed when the test ends
 * @param name the subject of the authority's own certificate
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

type KeyPair = KeyPairSyncResult<string, string>;

/**
 * Making a key pair takes a fifth of a second, so the certificates of a run share eight pairs. The certificates of one test have
 * different ones.
 */
const keyPairs: KeyPair[] = [];
let certificates = 0;

function nextKeyPair(): KeyPair {
  const index = certificates++ % 8;
  // The program that takes the screenshots runs outside Vitest, so it has no folder.
  keyPairs[index] ??= process.env['VITEST'] === undefined ? newKeyPair() : sharedKeyPair(index);
  return keyPairs[index];
}

const newKeyPair = (): KeyPair =>
  generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

/** Reads a pair that another process of the run has written, and otherwise makes and writes one. */
function sharedKeyPair(index: number): KeyPair {
  const file = join(runFolder(), `key-pair-${index}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const pair = newKeyPair();
  // The file is renamed, so that no process reads half of it.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(pair));
  renameSync(`${file}.${process.pid}`, file);
  return pair;
}

type Issuer = Pick<Certificate, 'cert' | 'key'>;

/** Creates a certificate. Without an issuer it is self-signed and may sign others. */
function createCertificate(subject: string, issuer?: Issuer): Issuer {
  const { publicKey, privateKey: key } = nextKeyPair();
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // The first byte is 1, because a serial number has to be positive.
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
  certificate.sign(nativeSigner(issuer?.key ?? key), forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key };
}

// The ASN.1 of RFC 8017, section 9.2, that comes before a SHA-256 digest in a signature.
const SHA256_PREFIX = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Returns a key with which node-forge signs by the functions of Node, because its own take a hundred times as long. */
function nativeSigner(key: string): forge.pki.rsa.PrivateKey {
  const sign = (digest: forge.md.MessageDigest): string =>
    privateEncrypt(key, Buffer.concat([SHA256_PREFIX, Buffer.from(digest.digest().getBytes(), 'latin1')])).toString(
      'latin1',
    );
  return { sign } as forge.pki.rsa.PrivateKey;
}
