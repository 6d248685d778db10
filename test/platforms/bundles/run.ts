import { expect } from 'vitest';
import { start } from '../app.js';

/** What an app printed as its one line of JSON, when it has ended well. */
export async function outputOf(file: string, env: Record<string, string>): Promise<unknown> {
  const program = start(file, [], '/', env);
  const code = await program.ended;
  expect(code, program.output()).toBe(0);
  return JSON.parse(program.output());
}
