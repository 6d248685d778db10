import { signal } from '@preact/signals';
import type { Status } from '../../../service/api/answer-types.js';
import { formatBytes, formatDuration, formatMoment, formatSpan, msOf } from '../format-values.js';
import { Facts } from '../ui/detail.js';
import { get } from './api.js';
import { usePolled } from './poll.js';

/** The polling interval in ms. It is short, so that whoever saves a wrong configuration sees the mistake at once. */
const STATUS_MS = 2_000;

/** The last status, for other parts of the page. */
export const latestStatus = signal<Status | undefined>(undefined);

export const useStatus = (): Status | undefined =>
  usePolled(
    'status',
    async (aborting) => {
      latestStatus.value = await get('GET /v1/status', {}, aborting);
      return latestStatus.value;
    },
    STATUS_MS,
  ).value;

export const storeText = ({ type, bytes }: Status['store']): string =>
  `${type}, ${bytes === null ? 'does not answer' : formatBytes(bytes)}`;

/** A problem of the service as a whole. */
interface Trouble {
  readonly kind: string;
  /** The problem in a few words, for the header. */
  readonly title: string;
  readonly text: string;
}

/** Lists the current problems, the most important first. */
export function troublesOf({ readiness, store, config }: Status, nowMs: number): readonly Trouble[] {
  const found: Trouble[] = [];
  const add = (kind: string, title: string, text: string) => found.push({ kind, title, text });
  const { reason = '', overdue } = readiness;
  if (!readiness.ready) add('readiness', 'Takes no messages', `No messages are taken: senders get 503. ${reason}.`);
  // Senders believe that these events are safe, so the message stays until the service is restarted.
  if (store.emptiedAt !== null) {
    const at = formatMoment(store.emptiedAt, nowMs);
    const text = `Everything that the store kept was gone at ${at}: somebody emptied it, or a server without the data took over. Events that waited are lost.`;
    add('store', 'Events were lost', text);
  }
  // Nothing else would report deliveries that could begin but do not.
  if (overdue !== undefined)
    add('overdue', 'Deliveries stand still', `${overdue}. Restart this process, and report it.`);
  if (config.error !== undefined) {
    const used = `The configuration of ${formatMoment(config.loadedAt, nowMs)} stays in use.`;
    add('config', 'Old configuration in use', `The new configuration has a mistake. ${used} ${config.error}`);
  }
  return found;
}

export const Troubles = ({ of }: { of: readonly Trouble[] }) => (
  <section class="troubles" aria-label="Problems" tabIndex={of.length === 0 ? undefined : 0}>
    {of.map(({ kind, text }) => (
      <p key={kind} class={`problem strip ${kind}`} role="alert">
        {text}
      </p>
    ))}
  </section>
);

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
          ['Process id', String(process)],
          ['Store', storeText(store)],
          [
            'Event loop',
            `${formatDuration(delay.p50)} · p99 ${formatDuration(delay.p99)} · max ${formatDuration(delay.max)}`,
          ],
          ['Configuration', `of ${formatMoment(config.loadedAt, nowMs)}`, config.loadedAt],
        ]}
      />
    </footer>
  );
}
