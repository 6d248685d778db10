import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import * as web from '../../src/platform/web-schemas.js';

/** As far as both are the same. */
interface Schemas {
  custom(holds: (value: unknown) => boolean, options: object): Schema;
  refine(holds: (value: never) => boolean, options: object): unknown;
  nullish(schema: Schema): Schema;
  object(fields: Record<string, Schema>): Schema;
}

interface Schema {
  check(...checks: unknown[]): Schema;
  safeParse(value: unknown): { success: boolean; error?: { issues: { path: PropertyKey[]; message: string }[] } };
}

function make({ custom, refine, nullish, object }: Schemas): Schema {
  const text = custom((value) => typeof value === 'string', { error: 'a string', abort: true });
  const number = custom((value) => typeof value === 'number', {
    error: ({ input }: { input: unknown }) => `a number, not ${input}`,
    abort: true,
  });
  const record = custom((value) => typeof value === 'object', { error: 'an object', abort: true });
  const even = text.check(({ value, issues }: { value: string; issues: object[] }) => {
    if (value.length % 2 === 1) issues.push({ code: 'custom', path: ['length'], message: 'even', input: value });
  });
  const inner = record.check(({ value, issues }: { value: { number?: unknown }; issues: object[] }) => {
    issues.push(...(object({ number: nullish(number) }).safeParse(value).error?.issues ?? []));
  });
  return object({ text, even: nullish(even), inner: nullish(inner) }).check(
    refine(({ text }: { text: string }) => text !== 'no', { path: ['text'], error: 'yes' }),
  );
}

test.each([
  {},
  { text: 1 },
  { text: 'a' },
  { text: 'no' },
  { text: 'a', even: 'odd' },
  { text: 'a', even: 'even', inner: null },
  { text: 'a', inner: 1 },
  { text: 'a', other: 1, inner: { other: 1 } },
  { text: 'a', inner: { number: '1' } },
  { text: 'no', inner: { number: '1' } },
  { text: 1, even: 'odd', inner: 1 },
])('what stands in for zod on the web finds the same first mistake in %j', (value) => {
  const [first, second] = [make(z as unknown as Schemas), make(web as unknown as Schemas)].map((schema) => {
    const { success, error } = schema.safeParse(value);
    const { path, message } = error?.issues[0] ?? {};
    return { success, path, message };
  });
  expect(second).toEqual(first);
});
