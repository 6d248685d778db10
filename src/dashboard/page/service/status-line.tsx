import { signal } from '@preact/signals';
import type { Status } from '../../../service/api/answers.js';
import { formatBytes } from '../format.js';
import { formatMoment, formatSpan, msOf } from '../moment.js';
import { Facts } from '../ui/detail.js';
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

/** Something that is wrong with the service as a whole. */
interface Trouble {
  readonly kind: string;
  /** In a few words, for the header. */
  readonly title: string;
  readonly text: string;
}

/** What is wrong, what matters most first. */
export function troublesOf({ readiness, store, config }: Status, nowMs: number): readonly Trouble[] {
  const found: Trouble[] = [];
  const add = (kind: string, title: string, text: string) => found.push({ kind, title, text });
  const { reason = '', overdue } = readiness;
  if (!readiness.ready) add('readiness', 'Takes no messages', `No messages are taken: senders get 503. ${reason}.`);
  // Senders take these events for safe, so it stays until the service is started again.
  if (store.emptiedAt !== null) {
    const at = formatMoment(store.emptiedAt, nowMs);
    const text = `Everything that the store kept was gone at ${at}: somebody emptied it, or a server without the data took over. Events that waited are lost.`;
    add('store', 'Events were lost', text);
  }
  // Deliveries that could begin and do not: nobody else would tell.
  if (overdue !== undefined)
    add('overdue', 'Deliveries stand still', `${overdue}. Restart this process, and report it.`);
  if (config.error !== undefined) {
    const used = `The configuration of ${formatMoment(config.loadedAt, nowMs)} stays in use.`;
    add('config', 'Old configuration in use', `The new configuration has a mistake. ${used} ${config.error}`);
  }
  return found;
}

export const Troubles = ({ of }: { of: readonly Trouble[] }) => (
  <>
    {of.map(({ kind, text }) => (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one scrolls, which the keyboard must reach.
      <p key={kind} class={`problem strip ${kind}`} role="alert" tabIndex={0}>
        {text}
      </p>
    ))}
  </>
);

/** The state of the service. */
export function StatusLine({ status }: { status: Status | undefined }) {
  if (status === undefined) return null;
  const { version, startedAt, process, store, eventLoopDelayMs: delay, config } = status;
  const nowMs = Date.now();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it scrolls, which the keyboard must reach.
    <footer class="low" tabIndex={0}>
      <Facts
        look="foot line"
        of={[
          ['Version', version],
          ['Up', formatSpan(nowMs - (msOf(startedAt) ?? nowMs)), startedAt],
          ['Process', String(process)],
          ['Store', storeText(store)],
          ['Event loop', `${inMs(delay.p50)} · p99 ${inMs(delay.p99)} · max ${inMs(delay.max)}`],
          ['Configuration', `of ${formatMoment(config.loadedAt, nowMs)}`, config.loadedAt],
        ]}
      />
    </footer>
  );
}

/** `0.4 ms`, `12 ms`. */
const inMs = (ms: number): string => `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
