import { transformSync } from 'esbuild';
import type { Plan } from '../../../src/plan/plan.js';
import { writeTypes } from '../../../src/plan/types/write-types.js';

interface Schema {
  readonly '~standard': { validate(value: unknown): { readonly issues?: readonly Issue[] } };
}

interface Issue {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** The arguments that the generated file passes to `defineEvents`. */
export interface Defined {
  readonly events: Readonly<Record<string, Schema>>;
  readonly others: Readonly<Record<string, Schema>>;
}

/** Runs the generated file. */
export async function run(plan: Plan): Promise<Defined> {
  const { code } = transformSync(writeTypes(plan, 'test'), { loader: 'ts', format: 'esm' });
  const stub = 'const defineEvents = (events, others) => ({ events, others });\n';
  const alone = stub + code.replace(/^import .*$/m, '');
  const { events } = await import(`data:text/javascript;base64,${Buffer.from(alone).toString('base64')}`);
  return events as Defined;
}

/** Returns what a schema reports about a value, such as `items.0.sku is required`; undefined if it accepts the value. */
export function saidBy(schema: Schema | undefined, value: unknown): string | undefined {
  if (schema === undefined) throw new Error('there is no such schema');
  const [issue] = schema['~standard'].validate(value).issues ?? [];
  return issue && `${issue.path.join('.')} ${issue.message}`.trim();
}
