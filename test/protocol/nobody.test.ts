import { expect, test } from 'vitest';
import { nobodyIn } from '../../src/protocol/nobody.js';

test.each(['undefined', 'NaN', '[object Object]'])(
  'the id %j names nobody, and is said to be what became of one that was not there',
  (id) => {
    expect(nobodyIn(id)).toBe(`the text "${id}", which is no id but what became of one that was not there`);
  },
);

test.each([' ', '\t\n', '\u00a0', '\u3000\u2003'])('the blanks %j name nobody', (id) => {
  expect(nobodyIn(id)).toBe('blanks alone');
});

test.each(['', 'u1', 'null', 'Undefined', 'nan', ' u1', '日', 'undefined-1'])('%j is not said to name nobody', (id) => {
  expect(nobodyIn(id)).toBeUndefined();
});
