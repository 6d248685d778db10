import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { LetterChange } from '../../../service/api/answers.js';
import type { DeliveryPage, RecentDelivery } from '../../../service/api/delivery-answers.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { say } from '../ui/toast.js';
import { ApiError, get, pathOf, problemOf, sayProblem, send, withQuery } from './api.js';
import { type BulkJob, endOf, JobProgress } from './bulk-job.js';

/** How many deliveries are read at a time, and at most. */
const PAGE = 500;
const MOST = 10_000;
/** How many are replayed side by side. */
const AT_ONCE = 4;

/** Replays the deliveries of a search that were given up: first they are counted, then sent again one by one. */
class DeliveryReplay {
  readonly found = signal<readonly RecentDelivery[]>([]);
  readonly isCounting = signal(false);
  readonly job = signal<BulkJob | undefined>(undefined);
  #isStopped = false;

  /** Finds them; says whether there are any. */
  async find(query: Readonly<Record<string, string>>): Promise<boolean> {
    if (this.isCounting.value) return false;
    this.isCounting.value = true;
    try {
      this.found.value = await deadOf(query);
      if (this.found.value.length === 0) say('None of these deliveries was given up.');
    } catch (error) {
      this.found.value = [];
      sayProblem(error);
    }
    this.isCounting.value = false;
    return this.found.value.length > 0;
  }

  async run(): Promise<void> {
    const waiting = [...this.found.value];
    const meant = waiting.length;
    let [deliveries, refused, problem] = [0, 0, ''];
    this.#isStopped = false;
    this.job.value = { act: 'replay', deliveries, meant };
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && !this.#isStopped; next = waiting.shift()) {
        try {
          deliveries += await replay(next);
        } catch (error) {
          refused++;
          problem = problemOf(error);
          // Others may go through when the service refuses one; without the service none does.
          this.#isStopped ||= !(error instanceof ApiError && REFUSED.has(error.status));
        }
        this.job.value = { act: 'replay', deliveries, meant };
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.job.value = undefined;
    const said = endOf('replay', deliveries, waiting.length > 0);
    say(refused === 0 ? said : `${said}, ${formatCount(refused)} not: ${problem}`);
  }

  /** What is replayed stays replayed. */
  stop(): void {
    this.#isStopped = true;
  }
}

/** One delivery alone is refused so: its letter is gone, or its webhook is configured no more. */
const REFUSED = new Set([404, 409, 422]);

async function deadOf(query: Readonly<Record<string, string>>): Promise<readonly RecentDelivery[]> {
  const found: RecentDelivery[] = [];
  for (let after: string | undefined = ''; after !== undefined && found.length < MOST; ) {
    const path = withQuery('/v1/deliveries', { ...query, phase: 'dead', limit: String(PAGE), after });
    const page: DeliveryPage = await get<DeliveryPage>(path);
    found.push(...page.deliveries);
    after = page.next;
  }
  return found;
}

async function replay({ id, destination, webhook }: RecentDelivery): Promise<number> {
  const body = { id, endpoint: webhook.id ?? webhook.url };
  return (await send<LetterChange>('POST', pathOf('destinations', destination, 'replay'), body)).deliveries;
}

/** Replays those that were given up of what is found, after it has said how many they are. */
export function ReplayFound({ query }: { query: Readonly<Record<string, string>> }) {
  const [replaying] = useState(() => new DeliveryReplay());
  const { length } = replaying.found.value;
  const isPointless = query['phase'] !== '' && query['phase'] !== 'dead';
  return (
    <>
      <div class="bulk">
        <ConfirmButton
          text={replaying.isCounting.value ? 'Counting …' : 'Replay those given up'}
          question={`${plural(length, 'delivery')} of this search ${length === 1 ? 'was' : 'were'} given up. Each is sent to its webhook again.`}
          confirm={`Replay ${formatCount(length)}`}
          cancel="Cancel"
          isHarmless
          disabled={isPointless || replaying.job.value !== undefined}
          prepare={() => replaying.find(query)}
          onConfirm={() => replaying.run()}
        />
      </div>
      <JobProgress job={replaying.job.value} onStop={() => replaying.stop()} />
    </>
  );
}
