import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/** A request whose body the service has begun to read, and which is not complete yet. */
export interface SlowRequest {
  /** Sends the rest, and resolves with the status of the answer. */
  finish(): Promise<number | undefined>;
}

export async function beginRequest(url: string, writeKey: string, batch: readonly unknown[]): Promise<SlowRequest> {
  const body = JSON.stringify({ batch });
  const sent = request(`${url}/v1/batch`, {
    method: 'POST',
    auth: `${writeKey}:`,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      // With this header the service says when it is ready for the body.
      Expect: '100-continue',
    },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => {});
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(body.slice(0, 20));
  return {
    async finish() {
      sent.end(body.slice(20));
      const [response] = await answered;
      return response.resume().statusCode;
    },
  };
}
