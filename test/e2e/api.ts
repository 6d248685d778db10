import { TOKEN } from './service.js';

/** Makes a call of the HTTP API, and returns the JSON of the answer. @throws Error when it is refused */
export async function call<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const { status, answer } = await tryCall(url, method, path, body);
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  // The form of the answer is checked by the tests.
  return answer as T;
}

export async function tryCall(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  token = TOKEN,
): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, answer: text === '' ? undefined : JSON.parse(text) };
}

/** Sends a batch as a client does. */
export async function sendBatch(url: string, writeKey: string, batch: readonly unknown[]): Promise<Response> {
  return fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ batch }),
  });
}
