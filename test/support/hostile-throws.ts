import { runInNewContext } from 'node:vm';

const fail = (): never => {
  throw new Error('not to be read');
};

const errorWhose = (name: 'message' | 'name' | 'stack'): Error =>
  Object.defineProperty(new Error('hidden'), name, { get: fail });

const trapped = new Proxy(
  {},
  { get: fail, has: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail, ownKeys: fail },
);
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

/** Values that user code may throw and that are hard to describe, with words for the name of a test. */
export const hostileThrows: readonly (readonly [string, unknown])[] = [
  ['an object without a prototype', Object.create(null)],
  ['an error whose message throws', errorWhose('message')],
  ['an error whose name throws', errorWhose('name')],
  ['an error whose stack throws', errorWhose('stack')],
  ['an error whose message is a symbol', Object.assign(new Error(), { message: Symbol('m') })],
  ['an error with a message of a megabyte and many lines', new Error('line\n'.repeat(200_000))],
  ['an error of another realm', runInNewContext('new TypeError("elsewhere")')],
  ['a proxy whose traps throw', trapped],
  ['a revoked proxy', revoked],
  ['an object whose toString throws', { toString: fail }],
  ['an object with a long tag of many lines', { [Symbol.toStringTag]: 'tag\n'.repeat(10_000) }],
  ['a symbol', Symbol('s')],
  ['undefined', undefined],
  ['a function', fail],
];
