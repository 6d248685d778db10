import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedList } from '../../src/store/sorted-list.js';

const listOf = (items: Iterable<number>): SortedList<number> => {
  const list = new SortedList<number>((a, b) => a - b);
  for (const item of items) list.add(item);
  return list;
};

test('a sorted list is always in order, whatever is added and deleted', () => {
  const command = fc.oneof(
    fc.record({ do: fc.constantFrom('add', 'delete'), item: fc.nat(5_000) }),
    fc.record({ do: fc.constantFrom('shift', 'pop'), item: fc.constant(0) }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.nat(5_000), { maxLength: 3_000 }),
      fc.array(command, { maxLength: 200 }),
      (start, commands) => {
        const list = listOf(start);
        let model = [...new Set(start)].toSorted((a, b) => a - b);
        for (const { do: act, item } of commands) {
          if (act === 'add') {
            list.add(item);
            model = [...new Set([...model, item])].toSorted((a, b) => a - b);
          } else if (act === 'delete') {
            expect(list.delete(item)).toBe(model.includes(item));
            model = model.filter((other) => other !== item);
          } else if (act === 'shift') expect(list.shift()).toBe(model.shift());
          else expect(list.pop()).toBe(model.pop());
          expect([list.size, list.first, list.last]).toEqual([model.length, model[0], model.at(-1)]);
        }
        expect([...list.after(undefined)]).toEqual(model);
        expect([...list.after(2_500)]).toEqual(model.filter((item) => item > 2_500));
      },
    ),
    { numRuns: 50 },
  );
});

test('an added item replaces one that compares as equal', () => {
  const list = new SortedList<{ key: number; text: string }>((a, b) => a.key - b.key);
  list.add({ key: 1, text: 'old' });
  list.add({ key: 1, text: 'new' });
  expect([...list.after(undefined)]).toEqual([{ key: 1, text: 'new' }]);
});
