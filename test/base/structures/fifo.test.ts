import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from '../../../src/base/structures/fifo.js';

test('a queue gives back what it was given, in order, however pushes and shifts alternate', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer(), { nil: undefined })), (steps) => {
      const [fifo, model] = [new Fifo<number>(), [] as number[]];
      for (const step of steps) {
        if (step === undefined) expect(fifo.shift()).toBe(model.shift());
        else {
          fifo.push(step);
          model.push(step);
        }
      }
    }),
  );
});
