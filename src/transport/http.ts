import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { AnswerBody } from './answer-body.js';
import type { Outgoing } from './outgoing.js';
import type { TransportAnswer } from './transport.js';
import type { Wire } from './wire.js';

/** Node's own client. */
export interface HttpWire extends Wire {
  /** Whether the answers come without a `100 Continue` before them; unknown until the first. */
  isPlain: boolean | undefined;
  /** Closes each connection once it is idle, until the next request. What is under way is not disturbed. */
  retire(): void;
}

/**
 * @param origin `https://events.example.com`
 * @param connections how many requests may be under way at once
 */
export function httpWire(origin: string, connections: number): HttpWire {
  const isSecure = origin.startsWith('https:');
  let agent: Agent | undefined;
  let isDestroyed = false;
  const wire: HttpWire = {
    isPlain: undefined,
    async send(outgoing) {
      // Loaded with the first request, as importing the package is to cost next to nothing.
      const http = await (isSecure ? import('node:https') : import('node:http'));
      agent ??= new http.Agent({ keepAlive: true, maxSockets: connections });
      agent.maxFreeSockets = connections;
      const { url, headers } = outgoing;
      for (;;) {
        const request = http.request(url, { method: 'POST', headers: { ...headers }, agent });
        request.on('continue', () => {
          wire.isPlain = false;
        });
        try {
          const answer = await exchange(outgoing, request);
          wire.isPlain ??= true;
          return answer;
        } catch (error) {
          if (isDestroyed || !wasClosedBefore(request, error)) throw error;
        }
      }
    },
    retire() {
      if (agent === undefined) return;
      agent.maxFreeSockets = 0;
      for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy();
    },
    destroy() {
      isDestroyed = true;
      agent?.destroy();
    },
  };
  return wire;
}

// The second where it had ended the connection first, and then reset it.
const CLOSED = ['ECONNRESET', 'EPIPE'];

/** Whether the server had closed a connection that was used before, and we had not seen it yet: no answer of this request's. */
const wasClosedBefore = ({ reusedSocket }: ClientRequest, error: unknown): boolean =>
  reusedSocket && error instanceof Error && 'code' in error && CLOSED.includes(String(error.code));

function exchange(outgoing: Outgoing, request: ClientRequest): Promise<TransportAnswer> {
  return new Promise((resolve, reject) => {
    const abort = (reason: Error): void => void request.destroy(reason);
    if (outgoing.reason !== undefined) abort(outgoing.reason);
    else outgoing.onAbort = abort;
    request.on('error', reject);
    request.on('response', (response) => read(response).then(resolve, reject));
    request.end(outgoing.body);
  });
}

/** The whole answer: it is read to its end, because only then the connection can be used again. */
function read(response: IncomingMessage): Promise<TransportAnswer> {
  return new Promise((resolve, reject) => {
    const { statusCode: status = 0, headers } = response;
    const body = new AnswerBody();
    const answer = (): void => resolve({ status, headers, body: body.text() });
    response.on('data', (chunk: Uint8Array) => {
      if (body.add(chunk)) return;
      answer();
      response.destroy();
    });
    response.on('end', answer);
    // With a code of its own it would be taken for a connection that was closed before.
    response.on('error', (cause) => reject(new Error('The answer broke off', { cause })));
  });
}
