import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Where `cert` is. */
  readonly file: string;
}

/** An authority of the test's own. */
export interface Authority extends Certificate {
  /** @param name what it is made out to, as openssl has it: `IP:127.0.0.1`, `DNS:collector.test` */
  sign(name: string): Certificate;
}

const KIND = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];

/** @param atEnd is given what removes its files. @default they are removed when the test ends */
export function createAuthority(atEnd: (act: () => void) => void = onTestFinished): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  let made = 0;
  const create = (name: string, ...more: string[]): Certificate => {
    const [file, key] = [join(folder, `${++made}.crt`), join(folder, `${made}.key`)];
    const subject = ['-subj', `/CN=${name.replace(/^.*:/, '')}`, '-addext', `subjectAltName=${name}`];
    execFileSync('openssl', ['req', '-x509', ...KIND, '-out', file, '-keyout', key, ...subject, ...more], {
      stdio: 'ignore',
    });
    return { cert: readFileSync(file, 'utf8'), key: readFileSync(key, 'utf8'), file };
  };
  const authority = create('DNS:authority.test');
  const keyFile = join(folder, '1.key');
  const signed = ['-CA', authority.file, '-CAkey', keyFile, '-addext', 'basicConstraints=critical,CA:FALSE'];
  return { ...authority, sign: (name) => create(name, ...signed) };
}
