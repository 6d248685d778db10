import { expect, test } from 'vitest';
import type { RedisClient } from '../../../src/store/redis/redis-client.js';
import { RedisRoom } from '../../../src/store/redis/redis-room.js';

interface Master {
  used: number;
  limit: number;
  aof: 0 | 1;
  replicas?: number;
}

function open(...masters: Master[]) {
  return openWith({ disk: false, replicas: 0 }, ...masters);
}

function openWith(durability: { disk: boolean; replicas: number }, ...masters: Master[]) {
  const warnings: string[] = [];
  const infoOf = ({ used, limit, aof, replicas = 0 }: Master) => [
    `maxmemory:${limit}\r\nused_memory:${used}\r\nmaxmemory_policy:noeviction\r\n`,
    `aof_enabled:${aof}\r\n`,
    `connected_slaves:${replicas}\r\n`,
  ];
  const link = {
    masters: masters.map((master) => ({
      askAll: async () => infoOf(master),
      ask: async () => infoOf(master)[0],
    })),
  } as unknown as RedisClient;
  const room = new RedisRoom(link, durability, (text) => warnings.push(text));
  return { room, warnings };
}

const fit: Master = { used: 10, limit: 100, aof: 1 };

test('new events are refused if one master of a cluster is full, until it has a little more room again', async () => {
  const full = { ...fit, used: 95 };
  const { room } = open({ ...fit }, full, { ...fit, limit: 0, used: 1_000 });
  expect(() => room.assert()).not.toThrow();
  await room.measure();
  expect(() => room.assert()).toThrow('The store in Redis takes no new events');
  expect(await room.used()).toBe(1_105);
  full.used = 89;
  await room.measure();
  expect(() => room.assert()).toThrow('The store in Redis takes no new events');
  full.used = 87;
  await room.measure();
  expect(() => room.assert()).not.toThrow();
});

test('history may take the room that every master has beyond a fifth of its memory', async () => {
  const small = { ...fit, used: 70 };
  const { room } = open({ ...fit }, small, { ...fit, limit: 0, used: 1_000 });
  const spare = async (used: number): Promise<number> => {
    small.used = used;
    await room.measure();
    return room.spareBytes;
  };
  expect(room.spareBytes).toBe(Number.POSITIVE_INFINITY);
  expect([await spare(70), await spare(80), await spare(85)]).toEqual([10, 0, -5]);
  expect(() => room.assert()).not.toThrow();
  const unlimited = open({ ...fit, limit: 0 }).room;
  await unlimited.measure();
  expect(unlimited.spareBytes).toBe(Number.POSITIVE_INFINITY);
});

test('a master of a cluster that would lose data causes one warning, and another when it is fixed', async () => {
  const unfit: Master = { ...fit, aof: 0 };
  const { room, warnings } = open({ ...fit }, unfit);
  await room.measure();
  await room.measure();
  expect(() => room.assert()).toThrow('Redis needs `appendonly yes`');
  unfit.aof = 1;
  await room.measure();
  expect(() => room.assert()).not.toThrow();
  expect(warnings).toEqual([
    'Redis needs `appendonly yes`, or it loses what it accepted; it has `appendonly no`. New events are refused',
    'Redis is set up again as it has to be',
  ]);
});

test('a missing replica causes a warning, and new events are refused until it is back', async () => {
  const master: Master = { ...fit, replicas: 1 };
  const { room, warnings } = openWith({ disk: false, replicas: 1 }, { ...fit, replicas: 2 }, master);
  await room.measure();
  expect(() => room.assert()).not.toThrow();
  master.replicas = 0;
  await room.measure();
  expect(() => room.assert()).toThrow('it has `connected_slaves 0`');
  master.replicas = 1;
  await room.measure();
  expect(() => room.assert()).not.toThrow();
  expect(warnings).toHaveLength(2);
});
