import { createHash } from 'node:crypto';
import type { Agent } from 'undici';
import type { Clock } from '../base/time/clock.js';
import { REMOVED_CODE } from '../delivery/outcome.js';
import { hmacSha1 } from '../signature/sign.js';
import { standardHeaders } from '../signature/standard.js';
import { answerText, READ_ANSWER_BYTES, secretsOf } from './answer-text.js';
import { Exchange } from './exchange.js';
import type { ResolvedOptions } from './options.js';
import { openAgent, type Posted, post } from './post.js';
import type { Lookup } from './ssrf-guard.js';
import type { Webhook } from './webhook.js';

/** Sent with every delivery, whatever the version of the package: endpoints may have rules for it. */
const USER_AGENT = 'eventferry/1.0';

/** Gives the body of an event to an endpoint, unless `isOutdated` says otherwise once there is a connection to write to. */
export type Send = (id: string, body: Uint8Array, isOutdated?: () => boolean) => Promise<Posted>;

/** What posts to one webhook. */
export interface Sender {
  readonly send: Send;
  /** The same, and keeps what goes over the wire. */
  readonly test: Send;
}

/** How much of what goes over the wire is kept. */
interface Kept {
  readonly keepsAnswers: boolean;
  /** Whether anybody wants to know all of it. */
  wantsExchange(): boolean;
}

type SenderSettings = Pick<ResolvedOptions, 'concurrency' | 'allowed' | 'keepsAnswers' | 'standardHeaders'>;

interface SenderDependencies {
  readonly clock: Clock;
  readonly lookup?: Lookup | undefined;
  readonly recorders?: readonly { wantsExchange(): boolean }[] | undefined;
}

/** What posts to the webhooks of a destination. A webhook has an agent from its first request on: most of very many are quiet. */
export class Senders {
  readonly #options: SenderSettings;
  readonly #dependencies: SenderDependencies;
  readonly #agents: Promise<Agent>[] = [];

  constructor(options: SenderSettings, dependencies: SenderDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  to(webhook: Webhook): Sender {
    const { recorders = [] } = this.#dependencies;
    let opening: Promise<Agent> | undefined;
    const open = (): Promise<Agent> => {
      opening ??= this.#openAgent(webhook.timeoutMs);
      return opening;
    };
    const wantsExchange = (): boolean => recorders.some((recorder) => recorder.wantsExchange());
    return {
      send: this.#sendTo(webhook, open, { keepsAnswers: this.#options.keepsAnswers, wantsExchange }),
      test: this.#sendTo(webhook, open, { keepsAnswers: true, wantsExchange: () => true }),
    };
  }

  /** Cuts off every request that runs. */
  async destroy(): Promise<void> {
    await Promise.all(this.#agents.map(async (agent) => (await agent).destroy()));
  }

  #openAgent(timeoutMs: number): Promise<Agent> {
    const { concurrency: connections, allowed } = this.#options;
    const { clock, lookup } = this.#dependencies;
    const agent = openAgent({ connections, timeoutMs, clock, allowed, lookup });
    this.#agents.push(agent);
    return agent;
  }

  /** Posts bodies, signed if the webhook has a secret. */
  #sendTo(webhook: Webhook, open: () => Promise<Agent>, { keepsAnswers, wantsExchange }: Kept): Send {
    const { clock } = this.#dependencies;
    const { url, headers: own, secret, timeoutMs } = webhook;
    const keptBytes = keepsAnswers ? READ_ANSWER_BYTES : 0;
    const secrets = secretsOf(webhook);
    const textOf = (bytes: Uint8Array): string => answerText(bytes, secrets);
    let agent: Agent | undefined;
    return async (id, body, isOutdated) => {
      agent ??= await open();
      const headers: Record<string, string> = { 'user-agent': USER_AGENT, 'content-type': 'application/json' };
      if (secret !== undefined) {
        headers['x-signature'] = hmacSha1(body, secret);
        if (this.#options.standardHeaders) {
          const timestampSeconds = Math.floor(clock.wall() / 1_000);
          Object.assign(headers, standardHeaders({ id: headerId(id), timestampSeconds, body, secret }));
        }
      }
      Object.assign(headers, own);
      const exchange = wantsExchange() ? new Exchange(body, headers, secrets) : undefined;
      return post({ agent, clock, url, headers, body, timeoutMs, keptBytes, textOf, exchange, isOutdated });
    };
  }
}

/** What waits for a URL that is configured no more has nowhere to go. */
export const sendToRemoved: Send = async () => ({ code: REMOVED_CODE });

/** A message's id may be any text, but `webhook-id` may not; such an id is named by its hash. */
const headerId = (id: string): string => (/^[!-\-/-~]+$/.test(id) ? id : createHash('sha256').update(id).digest('hex'));
