import type { ValidateFunction } from 'ajv';
import { didYouMean } from '../base/options/suggest.js';
import { isJsonObject } from '../base/text/decode.js';
import { describe } from '../base/text/describe.js';
import { DESCRIBED_TYPES, type DescribedType, describedField, type Plan } from './plan.js';
import { pointerOf } from './pointer.js';
import { type PlanViolation, violationOf } from './violation.js';

/** The fields of a message that a plan checks. */
export interface CheckedMessage {
  readonly type?: unknown;
  readonly event?: unknown;
  readonly properties?: unknown;
  readonly traits?: unknown;
}

/** A compiled plan. */
export class TrackingPlan {
  readonly plan: Plan;
  readonly #functions: ReadonlyMap<string, ValidateFunction>;
  readonly #byEvent = new Map<string, ValidateFunction>();

  /** @param functions the compiled schemas by their JSON pointers */
  constructor(plan: Plan, functions: ReadonlyMap<string, ValidateFunction>) {
    this.plan = plan;
    this.#functions = functions;
    for (const name of Object.keys(plan.events)) {
      const validate = functions.get(pointerOf(['events', name]));
      if (validate !== undefined) this.#byEvent.set(name, validate);
    }
  }

  /** The number of events in the plan. */
  get events(): number {
    return this.#byEvent.size;
  }

  /**
   * Returns how the message violates the plan. Returns undefined if it does not, or if the plan does not describe its
   * type. It never throws.
   */
  check(message: CheckedMessage): PlanViolation | undefined {
    const { type } = message;
    if (type === 'track') return this.#checkTrack(message);
    if (!isDescribed(type)) return undefined;
    const validate = this.#functions.get(`/${type}`);
    return validate && judge(validate, { type, event: undefined }, message);
  }

  #checkTrack(message: CheckedMessage): PlanViolation | undefined {
    const event = typeof message.event === 'string' ? message.event : describe(message.event);
    const validate = this.#byEvent.get(event);
    if (validate !== undefined) return judge(validate, { type: 'track', event }, message);
    const explain = () => ({
      expected: 'an event of the plan',
      received: describe(message.event) + didYouMean(event, [...this.#byEvent.keys()]),
    });
    return { type: 'track', event, path: 'event', reason: 'unknown_event', explain };
  }
}

const isDescribed = (type: unknown): type is DescribedType => DESCRIBED_TYPES.some((one) => one === type);

function judge(
  validate: ValidateFunction,
  about: Pick<PlanViolation, 'type' | 'event'>,
  message: CheckedMessage,
): PlanViolation | undefined {
  const field = describedField(about.type);
  const value = message[field] ?? {};
  if (!isJsonObject(value)) {
    const explain = () => ({ expected: 'an object', received: describe(value) });
    return { ...about, path: field, reason: 'type', explain };
  }
  try {
    if (validate(value)) return undefined;
  } catch (error) {
    // A schema that refers to itself recurses as deeply as the value is nested.
    if (!(error instanceof RangeError)) throw error;
    const explain = () => ({ expected: 'fewer levels', received: 'more than can be checked' });
    return { ...about, path: field, reason: 'too_deep', explain };
  }
  return { ...about, ...violationOf(validate.errors ?? [], field, value) };
}
