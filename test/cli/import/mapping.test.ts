import { describe, expect, test } from 'vitest';
import { mappingOf } from '../../../src/cli/import/mapping.js';

describe('without a mapping', () => {
  test('by default, a mapping fills the field that each column is named after', () => {
    const map = mappingOf(['type', 'userId', 'event', 'properties.total', 'context.page.path'], {});
    expect(map(['track', 'u1', 'Paid', '42', '/'])).toEqual({
      type: 'track',
      userId: 'u1',
      event: 'Paid',
      properties: { total: '42' },
      context: { page: { path: '/' } },
    });
  });

  test('a mapping leaves out an empty cell', () => {
    expect(mappingOf(['type', 'userId'], {})(['track', ''])).toEqual({ type: 'track' });
  });

  test('a mapping leaves out a cell of the --null text', () => {
    const map = mappingOf(['type', 'userId', 'event'], { nulls: ['NULL', '\\N'] });
    expect(map(['NULL', '\\N', 'null'])).toEqual({ event: 'null' });
  });

  test('a mapping reads the cell of a whole object field as JSON', () => {
    expect(mappingOf(['properties'], {})(['{"a":1}'])).toEqual({ properties: { a: 1 } });
    expect(() => mappingOf(['properties'], {})(['{a'])).toThrow('column properties: expected JSON');
  });

  test('a header that fills a field twice is refused, because a row would be of one user or another', () => {
    expect(() => mappingOf(['type', 'userId', 'event', ' userId'], {})).toThrow(
      'the header: two columns fill userId; keep one, or choose the columns with --map',
    );
  });

  test.each(['usr', 'properties.', 'userId.x', 'properties.__proto__.x'])('a column named %j is refused', (name) => {
    expect(() => mappingOf([name], {})).toThrow('is not a field of a message');
  });
});

describe('with a mapping', () => {
  test('a mapping reads only the columns it names, each by its conversion', () => {
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

  test('a mapping that fills a field twice is refused', () => {
    const making = () => mappingOf(['a', 'b'], { map: ['userId=a', 'userId=b'] });
    expect(making).toThrow('--map: two columns fill userId; keep one');
  });

  test('a mapping in which a column and --set fill the same field is refused', () => {
    const making = () => mappingOf(['a'], { map: ['userId=a'], set: ['type=track', 'userId=x'] });
    expect(making).toThrow('--set userId: a column fills it too; leave it out, or choose the columns with --map');
  });

  test('a mapping finds a column whose name contains a colon', () => {
    expect(mappingOf(['a:b'], { map: ['userId=a:b'] })(['u1'])).toEqual({ userId: 'u1' });
  });

  test('a mapping of an unknown column names the known columns', () => {
    const making = () => mappingOf(['a', 'b'], { map: ['userId=c'] });
    expect(making).toThrow('--map userId=c: there is no column "c"; the columns are a, b');
  });

  test.each([
    ['number', 'twelve', 'expected a number, got string "twelve"'],
    ['number', ' ', 'expected a number, got string " "'],
    ['boolean', 'perhaps', 'expected true or false, got string "perhaps"'],
  ])('a mapping refuses a cell that is not a %s', (conversion, text, reason) => {
    const map = mappingOf(['c'], { map: [`properties.x=c:${conversion}`] });
    expect(() => map([text])).toThrow(reason);
  });
});
