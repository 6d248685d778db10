import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { serve } from '../../support/loopback.js';

export interface Instance {
  /** Lets the process run until it asks for the next event. Resolves with the answer as soon as that exists. */
  invoke(event: object): Promise<string>;
  /** Resolves once the process is frozen. */
  frozen(): Promise<void>;
  /** The output of the process. */
  readonly output: () => string;
}

const RUNTIME = /^\/2018-06-01\/runtime\/invocation\/(?:next|(\d+)\/(response|error))$/;
const EXTENSION = /^\/2020-01-01\/extension\/(register|event\/next)$/;

/**
 * Starts an instance of a function on Lambda: a server with the documented interfaces for runtimes and extensions, and a process
 * that is frozen whenever the runtime, and the extension if there is one, are waiting for an event.
 *
 * @param handler the path of a module that exports `handler`
 */
export async function startInstance(handler: string, env: Record<string, string>): Promise<Instance> {
  let runtime: ServerResponse | undefined;
  const extension = new InternalExtension();
  let isFrozen = false;
  let onFrozen = (): void => {};
  let onAnswer = (_: string): void => {};
  let invocations = 0;
  let output = '';

  const api = await serve(async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = request;
    const [, id, kind] = RUNTIME.exec(url) ?? [];
    if (EXTENSION.test(url)) await extension.asked(request, response, runtime !== undefined || invocations > 0);
    else if (id === undefined) runtime = response;
    else {
      const answer = await text(request);
      onAnswer(kind === 'error' ? `error: ${answer}` : answer);
      response.writeHead(202).end();
      extension.tell(invocations);
    }
    freezeWhenIdle();
  });
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'bootstrap.mjs')], {
    env: { ...process.env, DEBUG: '', AWS_LAMBDA_RUNTIME_API: new URL(api).host, LAMBDA_HANDLER: handler, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));

  const freezeWhenIdle = (): void => {
    if (isFrozen || runtime === undefined || extension.isBusy) return;
    isFrozen = true;
    child.kill('SIGSTOP');
    onFrozen();
  };
  const frozen = async (): Promise<void> => {
    if (!isFrozen) await new Promise<void>((resolve) => (onFrozen = resolve));
  };
  return {
    frozen,
    output: () => output,
    async invoke(event) {
      await frozen();
      const answer = new Promise<string>((resolve) => (onAnswer = resolve));
      isFrozen = false;
      child.kill('SIGCONT');
      const id = ++invocations;
      extension.begin(id);
      // The order is not documented. At every second invocation the extension is told only when the answer exists.
      if (id % 2 === 1) extension.tell(id);
      runtime?.writeHead(200, { 'Lambda-Runtime-Aws-Request-Id': String(id) }).end(JSON.stringify(event));
      runtime = undefined;
      return answer;
    },
  };
}

/** The server for an extension inside the runtime's process. There is at most one extension. */
class InternalExtension {
  #isRegistered = false;
  #next: ServerResponse | undefined;
  #untold: number | undefined;

  /** True if it is still working on the last invocation, or has not been told of it. */
  get isBusy(): boolean {
    return this.#isRegistered && (this.#next === undefined || this.#untold !== undefined);
  }

  async asked(request: IncomingMessage, response: ServerResponse, hasBegun: boolean): Promise<void> {
    if (request.method === 'GET') {
      const isKnown = this.#isRegistered && request.headers['lambda-extension-identifier'] === 'id';
      if (isKnown) this.#next = response;
      else response.writeHead(403).end('{"errorType":"Extension.UnknownExtensionIdentifier"}');
      return;
    }
    const { events } = JSON.parse(await text(request)) as { events: string[] };
    const isAllowed = !hasBegun && request.headers['lambda-extension-name'] !== undefined && `${events}` === 'INVOKE';
    this.#isRegistered = isAllowed;
    if (isAllowed) response.writeHead(200, { 'Lambda-Extension-Identifier': 'id' }).end('{}');
    else response.writeHead(403).end('{"errorType":"Extension.RegistrationRefused"}');
  }

  begin(invocation: number): void {
    this.#untold = invocation;
  }

  tell(invocation: number): void {
    if (this.#untold !== invocation) return;
    this.#untold = undefined;
    this.#next?.end(JSON.stringify({ eventType: 'INVOKE', requestId: String(invocation) }));
    this.#next = undefined;
  }
}
