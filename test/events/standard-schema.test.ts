import { type } from 'arktype';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { isStandardSchema, type StandardSchema, standardOf } from '../../src/events/standard-schema.js';

test('zod, zod/mini, valibot and arktype make Standard Schemas, but a plain object is not one', () => {
  for (const schema of [z.object({}), mini.object({}), v.object({}), type({})]) {
    expect(isStandardSchema(schema)).toBe(true);
    expect(standardOf(schema, 'schema').validate({})).toMatchObject({ value: {} });
  }
  for (const value of [undefined, null, 'x', {}, () => {}]) expect(isStandardSchema(value)).toBe(false);
});

test('an asynchronous schema of valibot or with an async function is refused', () => {
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
