import { spawnSync } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { newFolder } from './cli/files.js';

const ALERTS = fileURLToPath(new URL('../examples/deploy/alerts.yaml', import.meta.url));
const HOUR = 60;
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

interface Case {
  readonly alert: string;
  /** Returns the samples, a minute apart, for the destination of the case, or for the sum of all destinations. */
  series(labels: string, destinations: number): { series: string; values: string }[];
  /** The label that names the customer, if the metrics are per destination. */
  readonly names?: 'destination' | 'source';
}

const steady = (series: string, value: number) => ({ series, values: `${value}x${3 * HOUR}` });
/** Among several webhooks, more than one fails in sum. */
const failing = (destinations: number): number => (destinations > 200 ? 25 : 1);

const CASES: readonly Case[] = [
  { alert: 'EventferryNotReady', series: (labels) => [steady(`eventferry_ready${labels}`, 0)] },
  {
    alert: 'EventferryDeliveriesNotBegun',
    series: (labels) => [steady(`eventferry_due_unclaimed_seconds${labels}`, 61)],
    names: 'destination',
  },
  {
    alert: 'EventferryEndpointFails',
    series: (labels, count) => [steady(`eventferry_failing${labels}`, failing(count))],
    names: 'destination',
  },
  {
    alert: 'EventferryRefusesRequests',
    series: (labels) => [
      {
        series: `eventferry_refused_requests_total${labels.replace('{', '{reason="rate_limited",').replace(/^$/, '{reason="rate_limited"}')}`,
        values: `0+60x${3 * HOUR}`,
      },
    ],
    names: 'source',
  },
  {
    alert: 'EventferryDeliversLate',
    series: (labels) => [steady(`eventferry_oldest_due_seconds${labels}`, 3_601)],
    names: 'destination',
  },
  {
    alert: 'EventferryDiskFills',
    series: (labels) => [{ series: `eventferry_disk_free_bytes${labels}`, values: `1000000-5000x${3 * HOUR}` }],
  },
  {
    alert: 'EventferryStoreWasEmptied',
    series: (labels) => [{ series: `eventferry_store_emptied_total${labels}`, values: `0x${2 * HOUR} 1x${HOUR}` }],
  },
  {
    // A replay removes dead letters faster than new ones arrive.
    alert: 'EventferryDeadLettersGrow',
    series: (labels) => [
      { series: `eventferry_dead_letters${labels}`, values: `10000-50x${3 * HOUR}` },
      {
        series: `eventferry_deliveries_total${labels.replace('{', '{outcome="dead",').replace(/^$/, '{outcome="dead"}')}`,
        values: `0+1x${3 * HOUR}`,
      },
    ],
    names: 'destination',
  },
  {
    alert: 'EventferryConfigurationNotInUse',
    series: (labels) => [steady(`eventferry_config_is_current${labels}`, 0)],
  },
];

async function promtool(tests: object[]): Promise<{ status: number | null; text: string }> {
  const folder = await newFolder();
  await cp(ALERTS, `${folder}/alerts.yaml`);
  await writeFile(`${folder}/test.yaml`, stringify({ rule_files: ['alerts.yaml'], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'test.yaml'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

function labelsOf({ names }: Case, count: number): string {
  if (names === undefined) return '{instance="service:4100"}';
  if (count > 200) return '';
  return names === 'source' ? '{source="customer 1"}' : '{destination="customer 1",webhook="1",host="a.example"}';
}

test.skipIf(!hasPromtool).each(CASES.flatMap((each) => [1, 25, 500].map((count) => ({ each, count }))))(
  '$each.alert fires with $count destinations, and its text names the customer or says where to look',
  async ({ each, count }) => {
    const healthy = Array.from({ length: count > 200 ? 0 : count - 1 }, (_, index) =>
      each
        .series(labelsOf(each, count).replace('customer 1', `customer ${index + 2}`), 1)
        .map(({ series }) => steady(series, 0)),
    ).flat();
    const input = [...each.series(labelsOf(each, count), count), ...(each.names === undefined ? [] : healthy)];
    // An alert that does not fire as expected is printed with its texts.
    const { status, text } = await promtool([
      {
        interval: '1m',
        input_series: input,
        alert_rule_test: [{ eval_time: `${2 * HOUR + 30}m`, alertname: each.alert, exp_alerts: [] }],
      },
    ]);
    expect(status, text).not.toBe(0);
    const summary = /summary="([^"]*)"/.exec(text)?.[1] ?? '';
    expect(text.match(/summary=/g)).toHaveLength(1);
    if (each.names !== undefined) expect(summary).toMatch(count > 200 ? /the page|\/v1\/status/ : /customer 1/);
    expect(summary).not.toMatch(/ {2}| of {1,2}to |<no value>/);
  },
);

test.skipIf(!hasPromtool)('no alert fires when everything is well', async () => {
  const series = CASES.flatMap((each) => each.series(labelsOf(each, 1), 1).map((one) => one.series));
  const well = (name: string): number => (/_ready|is_current|disk_free/.test(name) ? 1 : 0);
  const { status, text } = await promtool([
    {
      interval: '1m',
      input_series: series.map((name) => steady(name, well(name))),
      alert_rule_test: CASES.map(({ alert }) => ({ eval_time: '2h30m', alertname: alert, exp_alerts: [] })),
    },
  ]);
  expect({ status, text }).toMatchObject({ status: 0 });
});
