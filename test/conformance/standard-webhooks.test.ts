import { describe, expect, test } from 'vitest';
import { standardHeaders, verifyStandard } from '../../src/signature/standard.js';
import { readData } from './data.js';

interface Vectors {
  readonly verify: readonly {
    readonly name: string;
    readonly accept: boolean;
    readonly secret: string;
    readonly body: string;
    readonly now: number;
    readonly headers: Readonly<Record<string, string>>;
  }[];
  readonly sign: readonly {
    readonly secret: string;
    readonly id: string;
    readonly timestamp: number;
    readonly body: string;
    readonly signature: string;
  }[];
  readonly secrets: readonly { readonly secret: string; readonly accept: boolean }[];
  readonly signRefused: readonly { timestamp: string; secret: string; id: string; body: string }[];
}

const vectors = await readData<Vectors>('standard-webhooks-vectors.json');

/** docs/webhooks.md says that keys of version v1a are refused: neither a public nor a private one is a secret. */
const isOfV1a = (secret: string): boolean => /^wh[ps]k_/.test(secret);

const isAccepted = (act: () => unknown): boolean => {
  try {
    return act() !== false;
  } catch {
    return false;
  }
};

describe('Standard Webhooks', () => {
  test.each(vectors.verify)('a receiver judges: $name', ({ accept, secret, body, now, headers }) => {
    const accepted = isAccepted(() => verifyStandard({ headers, body, secrets: secret, now: now * 1_000 }));
    expect(accepted).toBe(accept && !isOfV1a(secret));
  });

  test.each(vectors.sign.filter(({ secret }) => !isOfV1a(secret)))(
    'a sender signs $id at $timestamp',
    ({ secret, id, timestamp, body, signature }) => {
      const headers = standardHeaders({ secret, id, timestampSeconds: timestamp, body });
      expect(headers['webhook-signature']).toBe(signature);
    },
  );

  test.each(vectors.signRefused)('a sender refuses the timestamp $timestamp', ({ secret, id, timestamp, body }) => {
    const delivery = { secret, id, timestampSeconds: timestamp as unknown as number, body };
    expect(isAccepted(() => standardHeaders(delivery))).toBe(false);
  });

  test.each(vectors.secrets)('a sender judges the secret $secret', ({ secret, accept }) => {
    const delivery = { secret, id: 'msg_1', timestampSeconds: 1, body: '{}' };
    expect(isAccepted(() => standardHeaders(delivery))).toBe(accept && !isOfV1a(secret));
  });
});
