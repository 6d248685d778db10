import { expect } from 'vitest';
import { start } from '../app.js';

/** Runs an app, expects that it succeeds, and returns its one line of JSON. */
export async function outputOf(file: string, env: Record<string, string>): Promise<unknown> {
  const program = start(file, [], '/', env);
  const code = await program.ended;
  expect(code, program.output()).toBe(0);
  return JSON.parse(program.output());
}
