import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { requireInstalled, thisFile } from '../../../src/base/process/installed.js';
import { VERSION } from '../../../src/version.js';

const source = fileURLToPath(new URL('../../../src/base/process/installed.ts', import.meta.url));

test('code knows the file that it is in', () => {
  expect(thisFile()).toBe(source);
});

test('code knows the file that it is in where a program keeps no stacks, and leaves what the program has set', () => {
  const { prepareStackTrace, stackTraceLimit } = Error;
  onTestFinished(() => void Object.assign(Error, { prepareStackTrace, stackTraceLimit }));
  const own = (): string => 'own';
  Object.assign(Error, { prepareStackTrace: own, stackTraceLimit: 0 });
  const found = thisFile();
  expect({ found, own: Error.prepareStackTrace, limit: Error.stackTraceLimit }).toEqual({
    found: source,
    own,
    limit: 0,
  });
});

test('in a program that has frozen `Error`, the package is found from the working directory', () => {
  vi.stubGlobal('Error', Object.freeze(class extends Error {}));
  onTestFinished(() => void vi.unstubAllGlobals());
  const [file, version] = [thisFile(), requireInstalled()('./package.json').version];
  expect({ file, version }).toEqual({ file: undefined, version: VERSION });
});
