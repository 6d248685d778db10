// No client: one JSON.stringify for each batch and one POST for each body, with the next body made while the last one is
// on its way. What is left of a client when all that makes it one is taken out.
import { Pool } from 'undici';
import { messageOf } from '../event.js';

/** `first` numbers the first event, for a server that remembers those of another run. */
export function open(url, { messages, concurrency = 1, first = 0 }) {
  const pool = new Pool(url, { connections: concurrency });
  const headers = { Authorization: 'Basic YmVuY2g6', 'Content-Type': 'application/json' };
  let sent = first;

  async function post(body) {
    const answer = await pool.request({ method: 'POST', path: '/v1/batch', headers, body });
    await answer.body.text();
  }

  function nextBody() {
    const batch = [];
    for (let i = 0; i < messages; i++) batch.push(messageOf(sent++));
    return JSON.stringify({ batch, sentAt: new Date().toISOString() });
  }

  async function loop(isOver) {
    let body = nextBody();
    while (!isOver()) {
      const answered = post(body);
      body = nextBody();
      await answered;
    }
    await post(body);
  }

  return {
    /** Sends batches until `isOver()`; resolves with how many messages that were. */
    async run(isOver) {
      const before = sent;
      await Promise.all(Array.from({ length: concurrency }, () => loop(isOver)));
      return sent - before;
    },
    close: () => pool.close(),
  };
}
