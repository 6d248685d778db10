import { describe, expect, test } from 'vitest';
import { mappingOf } from '../../../src/cli/import/mapping.js';

describe('without a mapping', () => {
  test('by default, each column fills the field of the same name', () => {
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
    const map = mappingOf(['type', 'userId', 'event'], { null: ['NULL', '\\N'] });
    expect(map(['NULL', '\\N', 'null'])).toEqual({ event: 'null' });
  });

  test('a mapping reads the cell of a whole object field as JSON', () => {
    expect(mappingOf(['properties'], {})(['{"a":1}'])).toEqual({ properties: { a: 1 } });
    expect(() => mappingOf(['properties'], {})(['{a'])).toThrow('column properties: expected JSON');
  });

  test('a header that fills a field twice is refused, because one of the values would be lost', () => {
    expect(() => mappingOf(['type', 'userId', 'event', ' userId'], {})).toThrow(
      'userId and userId are both filled; keep one column, --map or --set',
    );
  });

  test.each(['usr', 'properties.', 'userId.x', 'properties.__proto__.x'])('a column named %j is refused', (name) => {
    expect(() => mappingOf([name], {})).toThrow('is not a field of a message');
  });
});

describe('with a mapping', () => {
  test('a mapping reads only the columns that it names, each with its conversion', () => {
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
    expect(making).toThrow('userId and userId are both filled; keep one');
  });

  test('a mapping in which a column and --set fill the same field is refused', () => {
    const making = () => mappingOf(['a'], { map: ['userId=a'], set: ['type=track', 'userId=x'] });
    expect(making).toThrow('userId and userId are both filled; keep one column, --map or --set');
  });

  test.each<[string[], string[] | undefined, string[] | undefined]>([
    [['properties.a', 'properties.a.b'], undefined, undefined],
    [['properties.a.b', 'properties.a'], undefined, undefined],
    [['properties.x', 'properties'], undefined, undefined],
    [['properties', 'properties.x'], undefined, undefined],
    [['context', 'context.page.path'], undefined, undefined],
    [['a', 'b'], ['properties.x=a', 'properties=b'], undefined],
    [['a'], ['properties=a'], ['properties.x=1']],
    [['a'], ['properties.x=a'], ['properties=1']],
    [['properties.x'], undefined, ['properties.x.y=1']],
    [['a'], ['userId=a'], ['properties.x=1', 'properties.x.y=2']],
  ])('the columns %j with --map %j and --set %j fill a part of a field twice, and are refused', (header, map, set) => {
    expect(() => mappingOf(header, { map, set })).toThrow(/^\S+ and \S+ are both filled; keep one/);
  });

  test('fields of the same object do not count as parts of one another', () => {
    const map = mappingOf(['properties.a', 'properties.ab', 'properties.b.a', 'context.a'], {
      set: ['properties.b.c=1'],
    });
    expect(map(['1', '2', '3', '4'])).toEqual({
      properties: { a: '1', ab: '2', b: { a: '3', c: '1' } },
      context: { a: '4' },
    });
  });

  test('a mapped column must have a unique name, but other columns may share a name', () => {
    const header = ['id', 'x', 'x ', 'n'];
    expect(() => mappingOf(header, { map: ['userId=x'] })).toThrow('two columns are named "x"; rename one of them');
    expect(mappingOf(header, { map: ['userId=id', 'properties.n=n'] })(['u', '1', '2', '3'])).toEqual({
      userId: 'u',
      properties: { n: '3' },
    });
  });

  test('columns without a name are ignored', () => {
    expect(mappingOf(['', 'userId', ' '], {})(['1', 'u', '2'])).toEqual({ userId: 'u' });
  });

  test('a mapping finds a column whose name contains a colon', () => {
    expect(mappingOf(['a:b'], { map: ['userId=a:b'] })(['u1'])).toEqual({ userId: 'u1' });
  });

  test('a mapping of an unknown column names the known columns', () => {
    const making = () => mappingOf(['a', 'b'], { map: ['userId=c'] });
    expect(making).toThrow('there is no column "c"; the columns are a, b');
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
