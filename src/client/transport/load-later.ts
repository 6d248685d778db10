import { LoadError } from '../../base/errors/errors.js';

interface Modules {
  'node:async_hooks': typeof import('node:async_hooks');
  'node:events': typeof import('node:events');
  'node:http': typeof import('node:http');
  'node:https': typeof import('node:https');
  'node:net': typeof import('node:net');
  'node:tls': typeof import('node:tls');
  'node:zlib': typeof import('node:zlib');
}

/**
 * One of Node's own modules, loaded when it is first needed, as importing the package is to cost next to nothing. Neither
 * `import()` nor `require` does it in every context: a script may run in one of its own that knows neither.
 *
 * @throws LoadError
 */
export function load<Name extends keyof Modules>(name: Name): Modules[Name] {
  try {
    const found: Modules[Name] | undefined = process.getBuiltinModule(name);
    if (found === undefined) throw new Error('this runtime does not have it');
    return found;
  } catch (cause) {
    throw new LoadError(name, cause);
  }
}

/**
 * Tells whether a file may be loaded at a moment of our own choice. Jest fails the run when its test has ended by then, which is
 * what happens to a client that is never closed.
 */
export const mayLoadLater = (): boolean => process.env['JEST_WORKER_ID'] === undefined;
