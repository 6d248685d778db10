import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openBrowser } from '../../../src/cli/dev/browser.js';
import { settled } from '../../support/fake-clock.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

function setPath(path: string): void {
  vi.stubEnv('PATH', path);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Puts programs with these names first in the path. They write down the arguments with which they are called. */
function install(...names: string[]): string {
  const folder = temporaryFolder();
  const called = join(folder, 'called');
  for (const name of names) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} "$@" > ${called}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  setPath(`${folder}${delimiter}${process.env['PATH']}`);
  return called;
}

test.each([
  ['linux', 'xdg-open http://127.0.0.1:4100/'],
  ['darwin', 'open http://127.0.0.1:4100/'],
  ['win32', 'cmd /c start "" http://127.0.0.1:4100/'],
] as const)('dev opens its page on %s with the program of the system', async (platform, command) => {
  const called = install('xdg-open', 'open', 'cmd');
  openBrowser('http://127.0.0.1:4100/', platform);
  await expect.poll(() => existsSync(called) && readFileSync(called, 'utf8')).toBe(`${command}\n`);
});

test('dev continues if the system has no program to open its page', async () => {
  setPath(temporaryFolder());
  openBrowser('http://127.0.0.1:4100/', 'linux');
  await settled();
  await settled();
});
