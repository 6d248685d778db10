import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/free-port.js';
import { RedisServer } from './redis-server.js';

const SLOTS = 16_384;

/** How long a node may be silent before it counts as dead, in ms. */
const NODE_TIMEOUT_MS = 1_000;

/** How long the nodes may take to agree, in ms. */
const PATIENCE_MS = 30_000;
/** A replica gives up a handover after 5 s. */
const HAND_OVER_MS = 5_250;

interface Node {
  readonly server: RedisServer;
  readonly busPort: number;
  readonly id: string;
}

/** A real Redis Cluster on free ports, with as many replicas as masters and an even share of the slots for each master. */
export class RedisCluster {
  readonly #nodes: readonly Node[];
  readonly #masters: number;

  private constructor(nodes: readonly Node[], masters: number) {
    this.#nodes = nodes;
    this.#masters = masters;
  }

  /** @param settings override the default settings of each node */
  static async start(settings: Readonly<Record<string, string>> = {}, masters = 3): Promise<RedisCluster> {
    const nodes = await Promise.all(Array.from({ length: 2 * masters }, () => startNode(settings)));
    const cluster = new RedisCluster(nodes, masters);
    try {
      await cluster.#join();
    } catch (error) {
      await cluster.remove();
      throw error;
    }
    return cluster;
  }

  get urls(): string[] {
    return this.#nodes.map(({ server }) => server.url);
  }

  get servers(): readonly RedisServer[] {
    return this.#nodes.map(({ server }) => server);
  }

  /** Returns the nodes that have slots now, according to one that is alive. */
  async masters(): Promise<readonly RedisServer[]> {
    const lines = (await this.#tell('nodes')).filter((line) => /master/.test(line) && !/fail|noaddr/.test(line));
    const ports = lines.filter((line) => / \d+(-\d+)?( |$)/.test(line.split(' connected')[1] ?? '')).map(portIn);
    return this.servers.filter(({ port }) => ports.includes(port));
  }

  /** Returns the node that has the slot now. */
  async masterOf(slot: number): Promise<RedisServer> {
    for (const line of await this.#tell('nodes')) {
      const ranges = [...(line.split(' connected')[1] ?? '').matchAll(/ (\d+)(?:-(\d+))?(?= |$)/g)];
      const has = ranges.some(([, from, to = from]) => Number(from) <= slot && slot <= Number(to));
      const server = this.servers.find(({ port }) => port === portIn(line));
      if (has && server !== undefined) return server;
    }
    throw new Error(`no node has slot ${slot}`);
  }

  /** Moves a slot with all its keys, as `redis-cli --cluster reshard` does. */
  async move(slot: number, to: RedisServer): Promise<void> {
    const from = await this.masterOf(slot);
    if (from === to) return;
    const [fromId, toId] = [from, to].map((server) => this.#nodes.find((node) => node.server === server)?.id ?? '');
    await to.look((redis) => redis.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId ?? ''));
    await from.look(async (redis) => {
      await redis.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId ?? '');
      for (;;) {
        const keys = (await redis.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
        if (keys.length === 0) break;
        await redis.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...keys);
      }
    });
    for (const server of [to, from]) {
      await server.look((redis) => redis.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId ?? ''));
    }
  }

  /** Makes the replica of a master take over, as an operator does: the master first hands over its data. */
  async failOver(master: RedisServer): Promise<void> {
    const id = this.#nodes.find(({ server }) => server === master)?.id ?? '';
    await until('the replica to lead', async () => {
      // A different replica may follow it by now, because the nodes assign replicas themselves.
      const line = (await this.#tell('nodes')).find((each) => each.split(' ')[3] === id);
      const replica = this.servers.find(({ port }) => line !== undefined && port === portIn(line));
      if (replica === undefined) return false;
      // The request is repeated, because the other masters do not vote twice within a short time. It is repeated only after the
      // replica has given up, because each request starts the handover again.
      await replica.look((redis) => redis.call('CLUSTER', 'FAILOVER'));
      for (let waitedMs = 0; waitedMs < HAND_OVER_MS; waitedMs += 250) {
        await delay(250);
        if ((await this.masters()).includes(replica)) return true;
      }
      return false;
    });
    await this.ready();
  }

  /** Resolves once every slot has a node and every living node knows it; with replicas, once each master has one. */
  async ready(withReplicas = true): Promise<void> {
    const isReady = async (): Promise<boolean> => {
      const states = await Promise.all(
        this.#nodes.map(async ({ server }) => {
          const [info, replication] = await server.look(async (redis) => [
            String(await redis.call('CLUSTER', 'INFO')),
            await redis.info('replication'),
          ]);
          const isSynced = /role:slave/.test(replication ?? '')
            ? /master_link_status:up/.test(replication ?? '')
            : /connected_slaves:[1-9]/.test(replication ?? '');
          return /cluster_state:ok/.test(info ?? '') && (!withReplicas || isSynced);
        }),
      );
      return states.every(Boolean);
    };
    await until('the cluster to be ready', isReady);
  }

  /** Makes time pass for the keys with that prefix. */
  async pass(prefix: string, ms: number): Promise<void> {
    await Promise.all((await this.masters()).map((server) => server.pass(prefix, ms)));
  }

  async remove(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.remove()));
  }

  async #join(): Promise<void> {
    const [first, ...others] = this.#nodes;
    const masters = this.#nodes.slice(0, this.#masters);
    for (const [index, { server }] of masters.entries()) {
      const from = Math.floor((index * SLOTS) / masters.length);
      const to = Math.floor(((index + 1) * SLOTS) / masters.length) - 1;
      await server.look((redis) => redis.call('CLUSTER', 'ADDSLOTSRANGE', from, to));
      // Otherwise all nodes have the first epoch and must agree on different ones.
      await server.look((redis) => redis.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1));
    }
    for (const { server, busPort } of others) {
      await first?.server.look((redis) => redis.call('CLUSTER', 'MEET', '127.0.0.1', server.port, busPort));
    }
    const isMet = async (): Promise<boolean> =>
      (
        await Promise.all(
          this.#nodes.map(({ server }) => server.look((redis) => redis.call('CLUSTER', 'NODES').then(String))),
        )
      ).every((text) => text.trim().split('\n').length === this.#nodes.length && !/handshake/.test(text));
    await until('the nodes to meet', isMet);
    for (const [index, { server }] of this.#nodes.slice(this.#masters).entries()) {
      await server.look((redis) => redis.call('CLUSTER', 'REPLICATE', masters[index]?.id ?? ''));
    }
    await this.ready();
  }

  /** Returns what the first living node answers. */
  async #tell(what: string): Promise<string[]> {
    for (const { server } of this.#nodes) {
      const text = server.isAlive && (await server.look((redis) => redis.call('CLUSTER', what).then(String)));
      if (text) return text.trim().split('\n');
    }
    throw new Error('no node is alive');
  }
}

async function startNode(settings: Readonly<Record<string, string>>): Promise<Node> {
  const busPort = await freePort();
  const server = await RedisServer.start({
    'cluster-enabled': 'yes',
    'cluster-port': String(busPort),
    'cluster-node-timeout': String(NODE_TIMEOUT_MS),
    'cluster-replica-validity-factor': '0',
    ...settings,
  });
  return { server, busPort, id: String(await server.look((redis) => redis.call('CLUSTER', 'MYID'))) };
}

const portIn = (line: string): number => Number(/^\S+ [^ ]*?:(\d+)/.exec(line)?.[1]);

export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await delay(50);
  }
}
