import { expect, test, vi } from 'vitest';
import { Emitter } from '../../../src/base/structures/emitter.js';

interface Events {
  came: string;
  went: string;
}

function emitterWith(onError = vi.fn()) {
  return { emitter: new Emitter<Events>(onError), onError };
}

test('an emitter calls only the listeners of the emitted event, in order', () => {
  const { emitter } = emitterWith();
  const calls: string[] = [];
  emitter.on('came', (text) => calls.push(`first ${text}`));
  emitter.on('came', (text) => calls.push(`second ${text}`));
  emitter.on('went', () => calls.push('other'));
  emitter.emit('came', 'in');
  expect(calls).toEqual(['first in', 'second in']);
});

test('an emitter stops calling a listener after its returned function was called', () => {
  const { emitter } = emitterWith();
  const listener = vi.fn();
  const end = emitter.on('came', listener);
  expect(emitter.has('came')).toBe(true);
  end();
  emitter.emit('came', 'in');
  expect(emitter.has('came')).toBe(false);
  expect(listener).not.toHaveBeenCalled();
});

const twice: [string, (emitter: Emitter<Events>, listener: () => void) => void, readonly number[]][] = [
  ['on and once', (emitter, listener) => [emitter.on('came', listener), emitter.on('came', listener, true)], [2, 3, 4]],
  ['once and on', (emitter, listener) => [emitter.on('came', listener, true), emitter.on('came', listener)], [2, 3, 4]],
  ['once and once', (emitter, listener) => [1, 2].map(() => emitter.on('came', listener, true)), [2, 2, 2]],
  ['on and on', (emitter, listener) => [1, 2].map(() => emitter.on('came', listener)), [2, 4, 6]],
  [
    'on and on, of which one has ended',
    (emitter, listener) => [1, 2].map(() => emitter.on('came', listener))[0]?.(),
    [1, 2, 3],
  ],
  [
    'on, whose end is called again after another on',
    (emitter, listener) => {
      const end = emitter.on('came', listener);
      end();
      emitter.on('came', listener);
      end();
    },
    [1, 2, 3],
  ],
  [
    'on and once, and then off',
    (emitter, listener) => {
      emitter.on('came', listener);
      emitter.on('came', listener, true);
      emitter.off('came', listener);
    },
    [0, 0, 0],
  ],
];

test.each(twice)('a function that is registered twice is called twice: %s', (_, listen, calls) => {
  const { emitter } = emitterWith();
  const listener = vi.fn();
  listen(emitter, listener);
  const called = calls.map(() => {
    emitter.emit('came', 'in');
    return listener.mock.calls.length;
  });
  expect(called).toEqual(calls);
});

test('an emitter reports a listener that throws or rejects, and still calls the others', async () => {
  const { emitter, onError } = emitterWith();
  const [thrown, rejected] = [new Error('thrown'), new Error('rejected')];
  const last = vi.fn();
  emitter.on('came', () => {
    throw thrown;
  });
  emitter.on('came', () => Promise.reject(rejected));
  emitter.on('came', last);
  emitter.emit('came', 'in');
  await expect.poll(() => onError.mock.calls).toEqual([[thrown], [rejected]]);
  expect(last).toHaveBeenCalledOnce();
});

test('a listener that is added during an event is called from the next event on', () => {
  const { emitter } = emitterWith();
  const late = vi.fn();
  emitter.on('came', () => emitter.on('came', late));
  emitter.emit('came', 'in');
  expect(late).not.toHaveBeenCalled();
  emitter.emit('came', 'again');
  expect(late).toHaveBeenCalledOnce();
});

test.each([
  ['nobody', [], 1],
  ['one that throws', ['throw'], 1],
  ['one that rejects', ['reject'], 1],
  ['some that throw or reject', ['throw', 'reject', 'throw'], 1],
  ['one that hears among others', ['throw', 'hear', 'reject'], 0],
  ['one that an earlier one takes off', ['off'], 1],
] as const)(
  'an emitter calls `onUnheard` if there is no listener or every listener fails: %s',
  async (_, listeners, told) => {
    const { emitter } = emitterWith();
    const acts = {
      hear: () => {},
      throw: () => {
        throw new Error('thrown');
      },
      reject: async () => {
        throw new Error('rejected');
      },
      off: () => {
        emitter.off('came', late);
        throw new Error('thrown');
      },
    };
    const late = vi.fn();
    for (const act of listeners) emitter.on('came', () => acts[act]());
    emitter.on('went', acts.hear);
    if (listeners.some((act) => act === 'off')) emitter.on('came', late, true);
    const onUnheard = vi.fn();
    emitter.emit('came', 'in', onUnheard);
    await new Promise((resolve) => setImmediate(resolve));
    expect(onUnheard).toHaveBeenCalledTimes(told);
    expect(late).not.toHaveBeenCalled();
  },
);
