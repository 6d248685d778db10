import { type } from 'arktype';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { isStandardSchema, type StandardSchema, standardOf } from '../../src/events/standard-schema.js';

test('schemas of zod, zod/mini, valibot and arktype are Standard Schemas, and a plain object is not', () => {
  for (const schema of [z.object({}), mini.object({}), v.object({}), type({})]) {
    expect(isStandardSchema(schema)).toBe(true);
    expect(standardOf(schema, 'schema').validate({})).toMatchObject({ value: {} });
  }
  for (const value of [undefined, null, 'x', {}, () => {}]) expect(isStandardSchema(value)).toBe(false);
});

test('an asynchronous schema is refused, whether valibot declares it or its function is `async`', () => {
  const own: StandardSchema = { '~standard': { version: 1, vendor: 'own', validate: async (value) => ({ value }) } };
  for (const schema of [v.objectAsync({ total: v.number() }), own]) {
    expect(() => standardOf(schema, 'events.Paid')).toThrow(
      expect.objectContaining({
        code: 'EVENTFERRY_INVALID_OPTION',
        message: expect.stringMatching(/^Expected `events\.Paid` to be a synchronous schema, got an asynchronous one/),
      }),
    );
  }
});
