import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { isPromiseLike, onRejection } from '../../../src/base/errors/on-rejection.js';

/** Gives an object a `then`. The name is computed, because this object is meant to be a thenable. */
const withThen = (object: object, then: unknown): object => Object.assign(object, { ['th' + 'en']: then });

const reasonOf = (value: unknown): Promise<unknown> => new Promise((resolve) => onRejection(value, resolve));

test.each<[string, () => unknown]>([
  ['from this realm', () => Promise.reject('no')],
  ['from another realm', () => runInNewContext('Promise.reject("no")')],
  ['from a library', () => withThen({}, (_: unknown, reject: (reason: string) => void) => reject('no'))],
  ['whose own `then` is not a function', () => withThen(Promise.reject('no'), 1)],
])('onRejection calls back when a promise %s rejects', async (_, make) => {
  const promise = make();
  expect(isPromiseLike(promise)).toBe(true);
  await expect(reasonOf(promise)).resolves.toBe('no');
});

test('onRejection also calls back for a thenable that throws', async () => {
  const thenable = withThen({}, () => {
    throw 'no';
  });
  await expect(reasonOf(thenable)).resolves.toBe('no');
});

test.each<[string, unknown]>([
  ['null', null],
  ['an object', {}],
  ['a string', 'then'],
  [
    'a proxy that throws',
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('get');
        },
      },
    ),
  ],
])('%s is not a promise', (_, value) => {
  expect(isPromiseLike(value)).toBe(false);
  onRejection(value, () => expect.unreachable());
});
