import { describe, expect, test } from 'vitest';
import { mappingOf } from '../../../src/cli/import/mapping.js';

describe('without a mapping', () => {
  test('columns are named as the fields they fill', () => {
    const map = mappingOf(['type', 'userId', 'event', 'properties.total', 'context.page.path'], {});
    expect(map(['track', 'u1', 'Paid', '42', '/'])).toEqual({
      type: 'track',
      userId: 'u1',
      event: 'Paid',
      properties: { total: '42' },
      context: { page: { path: '/' } },
    });
  });

  test('an empty cell is a value that is not there', () => {
    expect(mappingOf(['type', 'userId'], {})(['track', ''])).toEqual({ type: 'track' });
  });

  test('a cell of a text that stands for no value is left out', () => {
    const map = mappingOf(['type', 'userId', 'event'], { nulls: ['NULL', '\\N'] });
    expect(map(['NULL', '\\N', 'null'])).toEqual({ event: 'null' });
  });

  test('an object field as a whole is JSON', () => {
    expect(mappingOf(['properties'], {})(['{"a":1}'])).toEqual({ properties: { a: 1 } });
    expect(() => mappingOf(['properties'], {})(['{a'])).toThrow('column properties: expected JSON');
  });

  test.each(['usr', 'properties.', 'userId.x', 'properties.__proto__.x', ''])(
    'a column named %j is refused',
    (name) => {
      expect(() => mappingOf([name], {})).toThrow('is not a field of a message');
    },
  );
});

describe('with a mapping', () => {
  test('only the columns it names are read, each as it says', () => {
    const map = mappingOf(['who', 'sum', 'vip', 'more', 'ignored'], {
      map: ['userId=who', 'properties.total=sum:number', 'properties.vip=vip:boolean', 'properties.more=more:json'],
      set: ['type=track', 'event=Order Completed'],
    });
    expect(map(['u1', '42.5', 'yes', '[1]', 'x'])).toEqual({
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      properties: { total: 42.5, vip: true, more: [1] },
    });
  });

  test('a column whose name holds a colon is found', () => {
    expect(mappingOf(['a:b'], { map: ['userId=a:b'] })(['u1'])).toEqual({ userId: 'u1' });
  });

  test('a column there is not is named, with those there are', () => {
    const making = () => mappingOf(['a', 'b'], { map: ['userId=c'] });
    expect(making).toThrow('--map userId=c: there is no column "c"; the columns are a, b');
  });

  test.each([
    ['number', 'twelve', 'expected a number, got string "twelve"'],
    ['number', ' ', 'expected a number, got string " "'],
    ['boolean', 'perhaps', 'expected true or false, got string "perhaps"'],
  ])('a cell that is no %s makes its row wrong', (conversion, text, reason) => {
    const map = mappingOf(['c'], { map: [`properties.x=c:${conversion}`] });
    expect(() => map([text])).toThrow(reason);
  });
});
