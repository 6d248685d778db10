/** Syncs an audience, or a computed trait, on lmdb and notes each message, until a moment at which it waits to be killed. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Audiences } from '../../../src/service/audiences/audiences.js';
import { type Listed, MEMBER } from '../../../src/service/audiences/given-users.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { numbered } from './numbered.js';

const [path = '', count = '0', moment = '', kind = ''] = process.argv.slice(2);

const waitToBeKilled = (): Promise<never> => {
  process.send?.('here');
  return new Promise(() => {});
};

async function* list(): AsyncGenerator<string> {
  yield* numbered(Number(count));
  if (moment === 'list') await waitToBeKilled();
}

let accepted = 0;
const storage = await lmdbStorage({ path });
const audiences = new Audiences({
  keyValues: storage.keyValues,
  runSize: 2_000,
  onError: (error) => process.emitWarning(String(error)),
  accept: async (messages) => {
    appendFileSync(
      join(path, 'accepted'),
      messages.map(({ messageId, userId }) => `${messageId} ${userId}\n`).join(''),
    );
    if (++accepted === Number(moment)) await waitToBeKilled();
  },
});
async function* users(): AsyncGenerator<Listed> {
  for await (const userId of list()) yield { userId, json: kind === 'trait' ? JSON.stringify(userId) : MEMBER };
}

await audiences[kind === 'trait' ? 'traits' : 'members'].replace('Users', users());
