import type { Agent } from 'undici';
import type { Clock } from '../base/time/clock.js';
import { type DeliveryAttemptsOptions, senderTo } from './delivery-attempts.js';
import type { ResolvedOptions } from './options.js';
import { openAgent } from './post.js';
import type { Lookup } from './ssrf-guard.js';
import type { Webhook } from './webhook.js';

type Send = DeliveryAttemptsOptions['send'];

/** What posts to one webhook. */
export interface Sender {
  readonly send: Send;
  /** The same, and keeps what goes over the wire. */
  readonly test: Send;
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
    const { keepsAnswers, standardHeaders: withStandardHeaders } = this.#options;
    const { clock, recorders = [] } = this.#dependencies;
    let opening: Promise<Agent> | undefined;
    const open = async (kept: { keepsAnswers: boolean; wantsExchange(): boolean }): Promise<Send> => {
      opening ??= this.#openAgent(webhook.timeoutMs);
      return senderTo({ webhook, agent: await opening, clock, withStandardHeaders, ...kept });
    };
    return {
      send: opened(() =>
        open({ keepsAnswers, wantsExchange: () => recorders.some((recorder) => recorder.wantsExchange()) }),
      ),
      test: opened(() => open({ keepsAnswers: true, wantsExchange: () => true })),
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
}

/** Opens at the first call. */
function opened(open: () => Promise<Send>): Send {
  let opening: Promise<Send> | undefined;
  let send: Send | undefined;
  return async (id, body, isOutdated) => {
    if (send === undefined) {
      opening ??= open();
      send = await opening;
    }
    return send(id, body, isOutdated);
  };
}
