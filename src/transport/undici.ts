import { createPool } from './pool.js';
import type { Transport } from './transport.js';

/** Answers are a few bytes; one that names every message of a full batch as refused is some hundred thousand. */
const LONGEST_ANSWER_BYTES = 1_048_576;

/** The transport used unless another is given: undici's own connections, kept alive, no redirects followed. */
export interface UndiciTransport {
  readonly send: Transport;
  /** Cuts what is under way and closes every connection. */
  destroy(): void;
}

interface AnswerBody extends AsyncIterable<Uint8Array> {
  text(): Promise<string>;
}

/**
 * @param origin `https://events.example.com`
 * @param connections how many requests may be under way at once
 */
export function undiciTransport(origin: string, connections: number): UndiciTransport {
  let isDestroyed = false;
  // Loading undici takes longer than all the rest of a short script, so it begins now and nobody waits for it yet.
  const loading = createPool(origin, { connections, headersTimeout: 0, bodyTimeout: 0 });
  loading.catch(() => {});
  return {
    async send({ url, headers, body, signal }) {
      const pool = await loading;
      const path = url.slice(origin.length);
      const answer = await pool.request({ method: 'POST', path, headers, body, signal });
      return { status: answer.statusCode, headers: answer.headers, body: await readText(answer.headers, answer.body) };
    },
    destroy() {
      if (isDestroyed) return;
      isDestroyed = true;
      loading.then((pool) => pool.destroy()).catch(() => {});
    },
  };
}

/** Reads the whole body, because only then the connection can be used again. */
async function readText(headers: { 'content-length'?: unknown }, body: AnswerBody): Promise<string> {
  if (Number(headers['content-length']) <= LONGEST_ANSWER_BYTES) return body.text();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > LONGEST_ANSWER_BYTES) break;
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
