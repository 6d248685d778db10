import { rootCertificates } from 'node:tls';
import type { ConfigFile } from '../../../src/service/config/schema.js';

/** A file with every possible key. */
export const COMPLETE = {
  $schema: './config.schema.json',
  listen: { host: '0.0.0.0', port: 8080, trustedProxies: 1 },
  store: {
    type: 'redis',
    url: 'redis://user:hunter2@cache.example.com:6379/1?family=4',
    prefix: 'ferry',
    waitForDisk: true,
    waitForReplicas: 1,
    ca: `# hunter2\n${rootCertificates[0]}`,
  },
  admin: {
    listen: { host: '127.0.0.1', port: 9090 },
    token: 'hunter2-hunter2-hunter2',
    tokens: [{ name: 'ana', token: 'hunter2-of-ana-hunter2', readOnly: true }],
    publicUrl: 'https://events.example.com',
    trustedProxies: 1,
  },
  log: { level: 'debug' },
  metrics: { token: 'hunter2-of-the-metrics', perDestination: true },
  history: { maxBytes: 500_000_000, maxAge: 86_400_000 },
  sources: [
    {
      name: 'shop',
      writeKeys: ['hunter2-a', 'hunter2-b'],
      destinations: ['crm', 'lake'],
      trackSchema: { allowed: ['A', 'B'], blocked: ['B'] },
      trackingPlan: { plan: { events: { A: true } }, onViolation: 'block', onUnknownEvent: 'allow' },
      rateLimit: { messagesPerSecond: 1_000, burst: 5_000 },
      rateLimitPerWriteKey: { messagesPerSecond: 10, burst: 20 },
    },
    { name: 'app', writeKeys: ['hunter2-c'], destinations: ['lake'] },
  ],
  destinations: [
    {
      name: 'crm',
      type: 'Webhooks',
      enabled: false,
      sharedSecret: 'hunter2-shared',
      webhooks: [
        { url: 'https://crm.example.com/hook?token=hunter2', headers: { Authorization: 'Bearer hunter2' } },
        { id: 'warehouse', url: 'http://10.20.3.4/hook', secret: 'hunter2-own', requestTimeout: 20_000 },
      ],
      settle: 'each',
      ordered: 'user',
      retryFor: 3_600_000,
      requestTimeout: 1_000,
      concurrency: 8,
      maxBacklog: { events: 100_000, bytes: 1_000_000_000, age: 3_600_000 },
      maxDeadLetters: { events: 10_000, bytes: 100_000_000, age: 604_800_000 },
      keepAttempts: false,
      keepAnswers: false,
      sign: ['x-signature'],
      allowCidrs: ['10.20.0.0/16'],
      allowLoopback: true,
    },
    { name: 'lake', type: 'Webhooks', webhooks: [{ url: 'https://lake.example.com/' }] },
  ],
  audiences: { destinations: ['crm'] },
} satisfies ConfigFile;

export type Keys = readonly (string | number)[];

/** Returns the path to every value in it. */
export function waysInto(value: unknown, keys: Keys = []): Keys[] {
  if (typeof value !== 'object' || value === null) return [keys];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    waysInto(one, [...keys, Array.isArray(value) ? Number(key) : key]),
  );
  return [keys, ...inner];
}

/** Returns a copy in which the value at the path is another one. */
export function withValue(value: unknown, [key, ...keys]: Keys, other: unknown): unknown {
  if (key === undefined) return other;
  const inner = withValue((value as Record<string | number, unknown>)[key], keys, other);
  if (Array.isArray(value)) return value.with(Number(key), inner);
  return { ...(value as object), [key]: inner };
}
