import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { serve } from '../../support/loopback.js';

export interface Instance {
  /** Lets the process run until it asks for the next event. Resolves with the answer as soon as it is there. */
  invoke(event: object): Promise<string>;
  /** Resolves when the process is frozen. */
  frozen(): Promise<void>;
  /** What it has printed. */
  readonly output: () => string;
}

const ROUTE = /^\/2018-06-01\/runtime\/invocation\/(?:next|(\d+)\/(response|error))$/;

/**
 * An instance of a function on Lambda: the documented interface of its runtimes, and a process that is frozen from the moment at
 * which it asks for an event until there is one.
 *
 * @param handler the path of a module that exports `handler`
 */
export async function startInstance(handler: string, env: Record<string, string>): Promise<Instance> {
  let asking: ServerResponse | undefined;
  let onFrozen = (): void => {};
  let onAnswer = (_: string): void => {};
  let invocations = 0;
  let output = '';

  const api = await serve(async (request: IncomingMessage, response: ServerResponse) => {
    const [, id, kind] = ROUTE.exec(request.url ?? '') ?? [];
    if (id === undefined) {
      asking = response;
      child.kill('SIGSTOP');
      onFrozen();
    } else {
      const answer = await text(request);
      onAnswer(kind === 'error' ? `error: ${answer}` : answer);
      response.writeHead(202).end();
    }
  });
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'bootstrap.mjs')], {
    env: { ...process.env, DEBUG: '', AWS_LAMBDA_RUNTIME_API: new URL(api).host, LAMBDA_HANDLER: handler, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));

  const frozen = async (): Promise<void> => {
    if (asking === undefined) await new Promise<void>((resolve) => (onFrozen = resolve));
  };
  return {
    frozen,
    output: () => output,
    async invoke(event) {
      await frozen();
      const answer = new Promise<string>((resolve) => (onAnswer = resolve));
      child.kill('SIGCONT');
      asking?.writeHead(200, { 'Lambda-Runtime-Aws-Request-Id': String(++invocations) }).end(JSON.stringify(event));
      asking = undefined;
      return answer;
    },
  };
}
