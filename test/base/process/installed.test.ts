import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { requireInstalled, thisFile } from '../../../src/base/process/installed.js';
import { VERSION } from '../../../src/version.js';

const source = fileURLToPath(new URL('../../../src/base/process/installed.ts', import.meta.url));

test('thisFile returns the path of its own source file', () => {
  expect(thisFile()).toBe(source);
});

test("thisFile works if the program disables stack traces, and leaves the program's settings unchanged", () => {
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

test('if the program has frozen `Error`, the package is found from the working directory', () => {
  vi.stubGlobal('Error', Object.freeze(class extends Error {}));
  onTestFinished(() => void vi.unstubAllGlobals());
  const [file, version] = [thisFile(), requireInstalled()('./package.json').version];
  expect({ file, version }).toEqual({ file: undefined, version: VERSION });
});
