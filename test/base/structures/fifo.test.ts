import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from '../../../src/base/structures/fifo.js';

test('a Fifo returns values in the order in which they were added, however pushes and shifts alternate', () => {
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
