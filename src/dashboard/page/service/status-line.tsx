import { signal } from '@preact/signals';
import type { Status } from '../../../service/api/answers.js';
import { formatBytes } from '../format.js';
import { formatMoment, formatSpan, msOf } from '../moment.js';
import { get } from './api.js';
import { usePolled } from './poll.js';

/** Short, so that a mistake in the configuration is said while its author still looks. */
const STATUS_MS = 2_000;

/** As it was told last, for what stands elsewhere on the page. */
export const latestStatus = signal<Status | undefined>(undefined);

export const useStatus = (): Status | undefined =>
  usePolled(
    'status',
    async (aborting) => {
      latestStatus.value = await get<Status>('/v1/status', aborting);
      return latestStatus.value;
    },
    STATUS_MS,
  ).value;

export const storeText = ({ type, bytes }: Status['store']): string =>
  `${type}, ${bytes === null ? 'does not answer' : formatBytes(bytes)}`;

/** What is wrong with the service as a whole, in a few words for the header; undefined while nothing is. */
export function troubleOf(status: Status | undefined): string | undefined {
  if (status === undefined) return undefined;
  if (!status.readiness.ready) return 'Takes no messages';
  if (status.store.emptiedAt !== null) return 'Events were lost';
  if (status.readiness.overdue !== undefined) return 'Deliveries stand still';
  return status.config.error === undefined ? undefined : 'Old configuration in use';
}

/** Why the service takes no messages, which matters more than all else on the page. */
export function ReadinessProblem({ status }: { status: Status | undefined }) {
  const reason = status?.readiness.reason;
  return (
    <p class="problem readiness" role="alert" hidden={reason === undefined}>
      {reason === undefined ? '' : `No messages are taken: senders get 503. ${reason}.`}
    </p>
  );
}

/** Deliveries that could begin and do not: nobody else would tell. */
export function OverdueProblem({ status }: { status: Status | undefined }) {
  const overdue = status?.readiness.overdue;
  return (
    <p class="problem overdue" role="alert" hidden={overdue === undefined}>
      {overdue === undefined ? '' : `${overdue}. Restart this process, and report it.`}
    </p>
  );
}

/** Events are lost that senders take for safe, so it stays until the service is started again. */
export function StoreProblem({ status }: { status: Status | undefined }) {
  const emptiedAt = status?.store.emptiedAt ?? undefined;
  const says = `Everything that the store kept was gone at ${formatMoment(emptiedAt ?? '', Date.now())}: somebody emptied it, or a server without the data took over. Events that waited are lost.`;
  return (
    <p class="problem store" role="alert" hidden={emptiedAt === undefined}>
      {emptiedAt === undefined ? '' : says}
    </p>
  );
}

/** A mistake in the configuration. Of many, the service tells the first. */
export function ConfigProblem({ status }: { status: Status | undefined }) {
  const { error, loadedAt = '' } = status?.config ?? {};
  const says = `The new configuration has a mistake. The configuration of ${formatMoment(loadedAt, Date.now())} stays in use. ${error}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it scrolls, which the keyboard must reach.
    <p class="problem config" role="alert" tabIndex={0} hidden={error === undefined}>
      {error === undefined ? '' : says}
    </p>
  );
}

/** The state of the service. */
export function StatusLine({ status }: { status: Status | undefined }) {
  if (status === undefined) return null;
  const { version, startedAt, process, store, eventLoopDelayMs: delay, config } = status;
  const nowMs = Date.now();
  const facts: readonly (readonly [string, string, string?])[] = [
    ['Version', version],
    ['Up', formatSpan(nowMs - (msOf(startedAt) ?? nowMs)), startedAt],
    ['Process', String(process)],
    ['Store', storeText(store)],
    ['Event loop', `${inMs(delay.p50)} · p99 ${inMs(delay.p99)} · max ${inMs(delay.max)}`],
    ['Configuration', `of ${formatMoment(config.loadedAt, nowMs)}`, config.loadedAt],
  ];
  return (
    <footer class="foot">
      <dl tabIndex={0}>
        {facts.map(([name, value, title]) => (
          <div key={name} title={title}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </footer>
  );
}

/** `0.4 ms`, `12 ms`. */
const inMs = (ms: number): string => `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
