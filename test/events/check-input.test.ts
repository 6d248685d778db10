import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { checkInput } from '../../src/events/check-input.js';
import type { Standard, StandardSchema } from '../../src/events/standard-schema.js';
import type { Message } from '../../src/protocol/message.js';

const message: Message = {
  type: 'track',
  messageId: 'm',
  timestamp: '2026-11-20T12:00:00.000Z',
  userId: 'u',
  event: 'Paid',
};
const check = (schema: StandardSchema, input: unknown = {}) =>
  checkInput(schema['~standard'], message, 'properties', input);
const answering = (validate: Standard['validate']): StandardSchema => ({
  '~standard': { version: 1, vendor: 'own', validate },
});

test('a schema that turns out to be asynchronous fails, and its rejection is handled', async () => {
  const rejections: unknown[] = [];
  const listener = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', listener);
  onTestFinished(() => void process.off('unhandledRejection', listener));
  const schemas = [
    z.object({ id: z.string().refine(async () => true) }),
    answering(() => Promise.reject(new Error('late'))),
  ];
  for (const schema of schemas) {
    expect(check(schema, { id: 'x' })).toMatchObject({
      code: 'EVENTFERRY_SCHEMA_FAILED',
      path: 'track.properties',
      message: expect.stringMatching(/^track\.properties of "Paid": its schema returned a promise, for which a call/),
      issues: [],
    });
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(rejections).toEqual([]);
});

test('a schema that throws fails, with the thrown value as the cause', () => {
  const cause = new TypeError('x is not a function');
  const schema = answering(() => {
    throw cause;
  });
  expect(check(schema)).toMatchObject({
    code: 'EVENTFERRY_SCHEMA_FAILED',
    message: 'track.properties of "Paid": its schema failed: TypeError: x is not a function',
    cause,
  });
});

test('an issue has a place, whether its path contains keys or objects with keys, or is missing', () => {
  const issues = [{ message: 'wrong', path: [{ key: 'items' }, 3, 'price'] }, { message: 'all wrong' }];
  expect(check(answering(() => ({ issues })))?.issues).toEqual([
    { path: 'track.properties.items[3].price', message: 'wrong' },
    { path: 'track.properties', message: 'all wrong' },
  ]);
});

test('only the first hundred of a hundred thousand issues are kept, but all are counted', () => {
  const issues = Array.from({ length: 100_000 }, () => ({ message: 'wrong' }));
  const violation = check(answering(() => ({ issues })));
  expect(violation?.issues).toHaveLength(100);
  expect(violation?.message).toBe('track.properties of "Paid": wrong; and 99999 more');
});

test("the text of a schema's issue is shown in one line of about 200 characters", () => {
  const text = check(answering(() => ({ issues: [{ message: `a\nb\u001b[31m${'x'.repeat(500)}` }] })))?.message ?? '';
  expect(text).toMatch(/^track\.properties of "Paid": a\\nb\\u\{1b\}\[31mx+…$/);
  expect(text.length).toBeLessThan(250);
});

test('a schema that reports an issue without text is a violation', () => {
  expect(check(answering(() => ({ issues: [] })))).toMatchObject({
    code: 'EVENTFERRY_VIOLATION',
    message: 'track.properties of "Paid": not what the schema expects',
  });
});
