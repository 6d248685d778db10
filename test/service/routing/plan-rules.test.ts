import { expect, test } from 'vitest';
import type { PlanAction } from '../../../src/service/config/service-config.js';
import { planRules } from '../../../src/service/routing/plan-rules.js';
import { sourceOf } from '../support.js';

const PLAN = { events: { A: { required: ['a'] } }, identify: { required: ['name'] } };

const WRONG = { type: 'track', event: 'A' };
const UNKNOWN = { type: 'track', event: 'B' };

async function ruleOf(onViolation: PlanAction, onUnknownEvent: PlanAction) {
  const counted: string[] = [];
  const add = (source: string, { reason }: { reason: string }, _: object, outcome: string): void =>
    void counted.push(`${source} ${reason} ${outcome}`);
  const trackingPlan = { plan: PLAN, onViolation, onUnknownEvent };
  const rule = (await planRules([sourceOf({ trackingPlan })], { add })).get('website');
  if (rule === undefined) throw new Error('there is no rule');
  const judge = (message: object) => {
    const verdict = rule.check(message);
    if (verdict !== undefined) rule.count(message, verdict);
    return verdict?.isBlocked === true;
  };
  return { rule, judge, counted };
}

test.each<[PlanAction, PlanAction, boolean[], string[]]>([
  ['report', 'report', [false, false], ['website required reported', 'website unknown_event reported']],
  ['block', 'report', [true, false], ['website required blocked', 'website unknown_event reported']],
  ['report', 'block', [false, true], ['website required reported', 'website unknown_event blocked']],
  ['allow', 'block', [false, true], ['website unknown_event blocked']],
  ['block', 'allow', [true, false], ['website required blocked']],
])(
  'with onViolation %s and onUnknownEvent %s, a wrong and an unknown event are blocked: %j',
  async (wrong, unknown, blocked, counted) => {
    const rule = await ruleOf(wrong, unknown);
    expect([rule.judge({ ...WRONG }), rule.judge({ ...UNKNOWN })]).toEqual(blocked);
    expect(rule.counted).toEqual(counted);
  },
);

test('a source without a plan has no rule, and an error in a plan names its source', async () => {
  expect((await planRules([sourceOf()], { add: () => {} })).size).toBe(0);
  const trackingPlan = { plan: { events: 3 } as never, onViolation: 'block', onUnknownEvent: 'block' } as const;
  await expect(planRules([sourceOf({ trackingPlan })], { add: () => {} })).rejects.toThrow(
    '1 mistake in the tracking plan of the source website',
  );
});
