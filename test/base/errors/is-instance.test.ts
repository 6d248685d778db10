import { expect, test } from 'vitest';
import { ClosedError, EventferryError, OutsideRunError } from '../../../src/base/errors/errors.js';
import { isInstance } from '../../../src/base/errors/is-instance.js';

test('isInstance recognises instances of a class and of its subclasses, like `instanceof`', () => {
  const error = new ClosedError();
  const classes = [ClosedError, EventferryError, OutsideRunError];
  expect(classes.map((each) => isInstance(error, each))).toEqual([true, true, false]);
  expect([null, undefined, 'text', {}].map((each) => isInstance(each, EventferryError))).not.toContain(true);
});

test('a proxy that throws when its prototype is read is an instance of nothing', () => {
  const hostile = new Proxy(new ClosedError(), {
    getPrototypeOf() {
      throw new Error('trap');
    },
  });
  expect(isInstance(hostile, EventferryError)).toBe(false);
});
