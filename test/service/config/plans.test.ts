import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/service/config/config-errors.js';
import { loadConfig } from '../../../src/service/config/load-config.js';
import { newFolder } from '../../cli/files.js';
import { mistakesWith, read } from './written.js';

const PLAN = { events: { A: { required: ['a'] } } };
const sourcesOf = (trackingPlan: unknown) => [{ name: 'shop', writeKeys: ['k1'], trackingPlan }];
const mistakes = (trackingPlan: unknown, env = {}) => mistakesWith({ sources: sourcesOf(trackingPlan) }, env);

describe('a tracking plan in the configuration', () => {
  test('a tracking plan in the configuration is returned with its defaults', () => {
    const { sources } = read(
      `sources: [{ name: shop, writeKeys: [k1], trackingPlan: { plan: ${JSON.stringify(PLAN)} } }]`,
    );
    expect(sources[0]?.trackingPlan).toEqual({ plan: PLAN, onViolation: 'report', onUnknownEvent: 'report' });
  });

  test('a tracking plan in the configuration treats unknown events like violations, unless it says otherwise', () => {
    const actionsOf = (more: object) =>
      read(JSON.stringify({ sources: sourcesOf({ plan: PLAN, ...more }) })).sources[0]?.trackingPlan;
    expect(actionsOf({ onViolation: 'block' })).toMatchObject({ onUnknownEvent: 'block' });
    expect(actionsOf({ onUnknownEvent: 'allow' })).toMatchObject({ onViolation: 'report', onUnknownEvent: 'allow' });
  });

  test.each<[object, string]>([
    [{}, 'sources[0].trackingPlan: `file` or `plan`, one of them, got neither'],
    [{ file: 'a', plan: PLAN }, 'sources[0].trackingPlan: `file` or `plan`, one of them, got both'],
    [{ plan: 3 }, 'sources[0].trackingPlan.plan: a tracking plan: an object with `events`, got number 3'],
    [
      { plan: { events: { A: { type: 'strng' } } } },
      'sources[0].trackingPlan.plan.events.A.type: string, number, integer, boolean, object, array or null, or a list of these, got string "strng"',
    ],
    [
      { plan: { events: { A: { anyOf: [true, { typ: 1 }] } } } },
      'sources[0].trackingPlan.plan….A.anyOf[1].typ: a keyword of JSON Schema, or a name that begins with x-, got an unknown key; did you mean type?',
    ],
    [
      { plan: PLAN, onViolation: 'drop' },
      "sources[0].trackingPlan.onViolation: one of 'allow', 'report', 'block', got a string, which is not shown as it may be a secret",
    ],
    [
      { plan: PLAN, onUnknown: 'block' },
      'sources[0].trackingPlan.onUnknown: one of file, plan, onViolation, onUnknownEvent, got an unknown key',
    ],
  ])('a tracking plan given as %j is refused at its place', (trackingPlan, mistake) => {
    expect(mistakes(trackingPlan)[0]).toContain(mistake);
  });

  test('a mistake in a tracking plan shows no value from the environment', () => {
    const plan = { events: { A: { type: '${SECRET}' } } };
    const [mistake] = mistakes({ plan }, { SECRET: 'hunter2' });
    expect(mistake).toMatch(/^sources\[0\]\.trackingPlan\.plan\.events\.A\.type: .*, got the value of \$\{SECRET\}$/);
  });
});

describe('a tracking plan in a file', () => {
  async function configured(file: string, plan?: string) {
    const folder = await newFolder();
    if (plan !== undefined) await writeFile(join(folder, 'plan.json'), plan);
    const config = join(folder, 'eventferry.json');
    await writeFile(config, JSON.stringify({ sources: sourcesOf({ file }) }));
    const load = () => loadConfig(config, { env: { DIRECTORY: folder } });
    return { folder, load };
  }

  const problemOf = async (load: () => Promise<unknown>) => {
    const error = await load().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    const { problems } = error as ConfigError;
    return problems.map(({ path, expected, received }) => `${path}: ${expected}, got ${received}`);
  };

  test.each(['plan.json', './plan.json', '${DIRECTORY}/plan.json'])(
    'a tracking plan in a file is read from %s',
    async (file) => {
      const { load } = await configured(file, JSON.stringify(PLAN));
      expect((await load()).sources[0]?.trackingPlan?.plan).toEqual(PLAN);
    },
  );

  test('a tracking plan in a file may be larger than a secret', async () => {
    const large = { ...PLAN, description: 'x'.repeat(100_000) };
    const { load } = await configured('plan.json', JSON.stringify(large));
    expect((await load()).sources[0]?.trackingPlan?.plan).toEqual(large);
  });

  test.each([
    [undefined, 'no such file'],
    ['{', 'a file that is not JSON'],
    [' '.repeat(5_000_000), 'one of more than 4194304 bytes'],
  ])('a plan file that cannot be read is a mistake in the configuration', async (plan, received) => {
    const { load, folder } = await configured('plan.json', plan);
    expect(await problemOf(load)).toEqual([
      `sources[0].trackingPlan.file: a tracking plan at ${join(folder, 'plan.json')}, got ${received}`,
    ]);
  });

  test('a wrong plan file is reported with its first mistake and the number of the others', async () => {
    const { load, folder } = await configured('plan.json', '{"events":{"A":3,"B":4},"event":{}}');
    const path = join(folder, 'plan.json');
    expect(await problemOf(load)).toEqual([
      `sources[0].trackingPlan.file: in ${path} at /event one of $schema, description, events, identify, group, page, screen, $defs, got an unknown key; did you mean events?, and 2 more: see eventferry types ${path}`,
    ]);
  });
});
