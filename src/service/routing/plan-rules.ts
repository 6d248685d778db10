import type { Violations } from '../../ledger/examples/violations.js';
import type { CheckedMessage, TrackingPlan } from '../../plan/tracking-plan.js';
import type { PlanViolation } from '../../plan/violation.js';
import type { SourceConfig, TrackingPlanConfig } from '../config/service-config.js';

/** A violation that is reported or blocked. */
export interface PlanVerdict {
  readonly violation: PlanViolation;
  readonly isBlocked: boolean;
}

interface PlanRuleOptions extends Pick<TrackingPlanConfig, 'onViolation' | 'onUnknownEvent'> {
  readonly source: string;
  readonly plan: TrackingPlan;
  readonly violations: Pick<Violations, 'add'>;
}

/** Checks the messages of a source against its tracking plan. */
export class PlanRule {
  readonly #options: PlanRuleOptions;

  constructor(options: PlanRuleOptions) {
    this.#options = options;
  }

  /** Returns undefined if the message follows the plan, or its violation is allowed. */
  check(message: CheckedMessage): PlanVerdict | undefined {
    const { plan, onViolation, onUnknownEvent } = this.#options;
    const violation = plan.check(message);
    if (violation === undefined) return undefined;
    const action = violation.reason === 'unknown_event' ? onUnknownEvent : onViolation;
    return action === 'allow' ? undefined : { violation, isBlocked: action === 'block' };
  }

  /** Counts the violation of a message. A message is checked when it is routed, and counted only when it is stored. */
  count(message: CheckedMessage, { violation, isBlocked }: PlanVerdict): void {
    const { source, violations } = this.#options;
    violations.add(source, violation, message, isBlocked ? 'blocked' : 'reported');
  }
}

/** The rules by the name of their source. */
export type PlanRules = ReadonlyMap<string, PlanRule>;

/** Creates the rules of the sources that have a plan. The plan compiler is loaded only if there are any. @throws PlanError */
export async function planRules(
  sources: readonly SourceConfig[],
  violations: Pick<Violations, 'add'>,
): Promise<PlanRules> {
  const planned = sources.flatMap(({ name, trackingPlan }) => (trackingPlan ? [{ name, trackingPlan }] : []));
  if (planned.length === 0) return new Map();
  const { compilePlan } = await import('../../plan/compile.js');
  return new Map(
    planned.map(({ name, trackingPlan }) => {
      const plan = compilePlan(trackingPlan.plan, `the tracking plan of the source ${name}`);
      return [name, new PlanRule({ ...trackingPlan, source: name, plan, violations })];
    }),
  );
}
