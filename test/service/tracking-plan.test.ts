import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/service/config/load-config.js';
import type { TrackingPlanConfig } from '../../src/service/config/service-config.js';
import { watchConfig } from '../../src/service/config/watch.js';
import { newFolder } from '../cli/files.js';
import { sink } from '../support/sink.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from './support.js';

const PLAN = { events: { 'Order Completed': { required: ['total'], properties: { total: { type: 'number' } } } } };

async function served(more: Partial<TrackingPlanConfig> = {}, fields: Partial<ReturnType<typeof sourceOf>> = {}) {
  const hook = await sink();
  const trackingPlan: TrackingPlanConfig = { plan: PLAN, onViolation: 'block', onUnknownEvent: 'report', ...more };
  const config = configOf({
    sources: [sourceOf({ trackingPlan, ...fields })],
    destinations: [destinationOf(hook.url)],
  });
  return { hook, config, ...(await serving(config)) };
}

const right = (id: string) => track(id, { properties: { total: 1 } });
const wrong = (id: string) => track(id, { properties: { total: '1' } });
const unknown = (id: string) => track(id, { event: 'Another' });

const deliveredTo = (hook: Awaited<ReturnType<typeof sink>>): string[] =>
  hook.requests.map(({ messageId }) => messageId).toSorted();

test('a service forwards messages that follow the plan, blocks others, and answers the client as usual', async () => {
  const { url, hook, ask } = await served();
  expect((await sendBatch(url, right('m1'), wrong('m2'), unknown('m3'))).status).toBe(200);
  await expect.poll(() => deliveredTo(hook)).toEqual(['m1', 'm3']);
  const { sources } = (await ask('/v1/sources')).body;
  expect(sources).toMatchObject([
    {
      trackingPlan: {
        events: 1,
        onViolation: 'block',
        onUnknownEvent: 'report',
        violations: { type: 1, unknown_event: 1 },
      },
      lastHour: { received: 3, blocked: 1, forwarded: 2 },
    },
  ]);
  const { body: violations } = await ask('/v1/sources/website/violations');
  expect(violations).toHaveLength(2);
  expect(violations.find(({ outcome }: { outcome: string }) => outcome === 'blocked')).toMatchObject({
    type: 'track',
    event: 'Order Completed',
    path: 'properties.total',
    reason: 'type',
    count: 1,
    example: { expected: 'a number', received: 'string "1"', raw: expect.stringContaining('"messageId":"m2"') },
  });
  const { body: metrics } = await ask('/metrics');
  expect(metrics).toContain('eventferry_plan_violations_total{source="website",reason="type",outcome="blocked"} 1');
  expect(metrics).toContain(
    'eventferry_plan_violations_total{source="website",reason="unknown_event",outcome="reported"} 1',
  );
  expect(metrics).toContain('eventferry_messages_total{outcome="blocked"} 1');
});

test('a message that is sent twice is counted as one violation', async () => {
  const { url, ask } = await served();
  await sendBatch(url, wrong('m1'));
  await sendBatch(url, wrong('m1'));
  expect((await ask('/v1/sources/website/violations')).body).toMatchObject([{ count: 1 }]);
});

test('an event that the track schema blocks is not checked against the plan', async () => {
  const { url, ask, hook } = await served(
    { onUnknownEvent: 'report' },
    { trackSchema: { allowed: undefined, blocked: ['Another'] } },
  );
  await sendBatch(url, unknown('m1'), right('m2'));
  await expect.poll(() => deliveredTo(hook)).toEqual(['m2']);
  expect((await ask('/v1/sources/website/violations')).body).toEqual([]);
});

test('a reload applies another plan, and a wrong plan leaves the old one in use', async () => {
  const { service, url, config, ask } = await served();
  const withPlan = (plan: unknown) => {
    const trackingPlan = {
      plan: plan as TrackingPlanConfig['plan'],
      onViolation: 'block',
      onUnknownEvent: 'block',
    } as const;
    return { ...config, sources: [sourceOf({ trackingPlan })] };
  };
  await expect(service.reload(withPlan({ events: 3 }))).rejects.toMatchObject({
    code: 'EVENTFERRY_SERVICE_INVALID_CONFIG',
  });
  expect((await ask('/v1/sources')).body.sources).toMatchObject([
    { trackingPlan: { events: 1, onUnknownEvent: 'report' } },
  ]);
  await service.reload(withPlan({ events: { Another: true, More: true } }));
  expect((await ask('/v1/sources')).body.sources).toMatchObject([
    { trackingPlan: { events: 2, onUnknownEvent: 'block' } },
  ]);
  await sendBatch(url, unknown('m1'), right('m2'));
  expect((await ask('/v1/sources/website/violations')).body).toMatchObject([{ reason: 'unknown_event', count: 1 }]);
});

test('a changed plan file is applied, and a broken one is refused', async () => {
  const folder = await newFolder();
  const file = join(folder, 'eventferry.json');
  const write = async (plan: string) => {
    await writeFile(join(folder, 'new.json'), plan);
    await rename(join(folder, 'new.json'), join(folder, 'plan.json'));
  };
  await write('{"events":{"A":true}}');
  await writeFile(
    file,
    JSON.stringify({ sources: [{ name: 'shop', writeKeys: ['k'], trackingPlan: { file: 'plan.json' } }] }),
  );
  const readings: unknown[] = [];
  const watcher = await watchConfig(file, ({ config, error }) => {
    readings.push(error?.code ?? config?.sources[0]?.trackingPlan?.plan.events);
  });
  try {
    expect((await loadConfig(file)).sources[0]?.trackingPlan?.plan).toEqual({ events: { A: true } });
    await write('{"events":{"B":true}}');
    await expect.poll(() => readings, { timeout: 15_000 }).toEqual([{ B: true }]);
    await write('{"events":3}');
    await expect.poll(() => readings, { timeout: 15_000 }).toEqual([{ B: true }, 'EVENTFERRY_SERVICE_INVALID_CONFIG']);
  } finally {
    watcher.close();
  }
}, 40_000);
