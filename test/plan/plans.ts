import { compilePlan } from '../../src/plan/compile.js';
import { PlanError } from '../../src/plan/plan-errors.js';
import type { TrackingPlan } from '../../src/plan/tracking-plan.js';

/** A plan with each kind of schema. */
export const SHOP = {
  events: {
    'Order Completed': {
      description: 'The payment went through.',
      type: 'object',
      properties: {
        orderId: { type: 'string', minLength: 1 },
        total: { type: 'number', minimum: 0 },
        currency: { enum: ['EUR', 'USD'] },
        items: { type: 'array', items: { $ref: '#/$defs/item' } },
        at: { type: 'string', format: 'date-time' },
        gift: { type: ['boolean', 'null'] },
      },
      required: ['orderId', 'total'],
      additionalProperties: false,
    },
    'Product Viewed': { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    'Page Scrolled': true,
  },
  identify: { type: 'object', properties: { email: { type: 'string', format: 'email' } } },
  $defs: {
    item: {
      type: 'object',
      properties: { sku: { type: 'string' }, price: { type: 'number' } },
      required: ['sku'],
    },
  },
};

export const compiled = (plan: unknown): TrackingPlan => compilePlan(plan, 'plan.json');

/** The plan of one event whose schema this is. */
export const ofEvent = (schema: unknown, $defs = {}): TrackingPlan => compiled({ events: { E: schema }, $defs });

/** Describes in words what a plan finds in a message. */
export function foundIn(plan: TrackingPlan, message: object): string | undefined {
  const violation = plan.check(message);
  if (violation === undefined) return undefined;
  const { expected, received } = violation.explain();
  return `${violation.path} (${violation.reason}): expected ${expected}, got ${received}`;
}

/** Describes the mistakes in a plan, one line for each. */
export function mistakesIn(plan: unknown): string[] {
  try {
    compilePlan(plan, 'plan.json');
    return [];
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return error.problems.map(({ pointer, expected, received }) => `${pointer}: expected ${expected}, got ${received}`);
  }
}
