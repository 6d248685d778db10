import { expect, test } from 'vitest';
import type { JsonSchema } from '../../../src/plan/plan.js';
import { docOf } from '../../../src/plan/types/doc.js';

test.each<[JsonSchema, string]>([
  [true, ''],
  [{ type: 'string' }, ''],
  [{ description: 'One line.' }, '  /** One line. */\n'],
  [{ title: 'T', description: 'A\n\nB */ C' }, '  /**\n   * T\n   * A\n   *\n   * B *\\/ C\n   */\n'],
  [{ format: 'date', default: 'x' }, '  /**\n   * @format date\n   * @default "x"\n   */\n'],
  [{ deprecated: true }, '  /** @deprecated */\n'],
])('the annotations of %j become a comment', (schema, doc) => {
  expect(docOf(schema, '  ')).toBe(doc);
});
