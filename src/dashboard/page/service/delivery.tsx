import { useState } from 'preact/hooks';
import { plural } from '../../../base/text/plural.js';
import type { AttemptReport, DeliveryExplanation, EndpointExplanation } from '../../../service/api/delivery-answers.js';
import { formatBytes, formatDuration, withoutScheme } from '../format.js';
import { formatMoment, formatSpan, msOf } from '../moment.js';
import { sentence } from '../ui/sentence.js';
import { visible, visibleLines } from '../ui/visible.js';

/** Where a message stands at the destination that was clicked, and folded what there is of others. */
export function Explanations({ of, destination }: { of: readonly DeliveryExplanation[]; destination: string }) {
  const [isOpen, setOpen] = useState(false);
  const clicked = of.filter((each) => each.destination === destination);
  // An address may name one that knows nothing of the message.
  const shown = clicked.length === 0 ? of : clicked;
  const others = clicked.length === 0 ? [] : of.filter((each) => each.destination !== destination);
  return (
    <>
      {shown.map((explanation) => (
        <Explanation key={`${explanation.destination} ${explanation.id}`} explanation={explanation} />
      ))}
      {others.length > 0 && (
        <details class="others" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>At {plural(others.length, 'other destination')}</summary>
          {isOpen &&
            others.map((explanation) => (
              <Explanation key={`${explanation.destination} ${explanation.id}`} explanation={explanation} />
            ))}
        </details>
      )}
    </>
  );
}

/** Where one message stands at a destination: each webhook, each attempt, and why there will or will not be another. */
const Explanation = ({ explanation: { destination, endpoints } }: { explanation: DeliveryExplanation }) => (
  <>
    <h3>{visible(destination)}</h3>
    {endpoints.map((endpoint, index) => (
      <Place key={`${index} ${endpoint.url}`} {...endpoint} />
    ))}
  </>
);

type PlaceProps = Pick<EndpointExplanation, 'url' | 'phase' | 'attempts'> & Partial<EndpointExplanation>;

/** A message at one webhook. */
export function Place({ phase, url, why, rule, nextAttemptAt, triedUntil, attempts }: PlaceProps) {
  const look = phase === 'dead' || phase === 'delivered' ? phase : 'retry';
  const nowMs = Date.now();
  const parts = [
    why === undefined ? '' : sentence(why),
    rule ? sentence(rule) : '',
    nextAttemptAt == null ? '' : `Next attempt ${formatMoment(nextAttemptAt, nowMs)}${inTime(nextAttemptAt, nowMs)}.`,
    triedUntil == null || nextAttemptAt == null ? '' : `Tried until ${formatMoment(triedUntil, nowMs)}.`,
  ];
  const says = parts.filter(Boolean).join(' ');
  return (
    <section class="place-box">
      <p class="place">
        <span class={`badge ${look}`}>{phase}</span>
        <span class="url">{visible(withoutScheme(url))}</span>
      </p>
      {says !== '' && <p class="reason">{visible(says)}</p>}
      {[...attempts].reverse().map((attempt, index) => (
        <Attempt key={attempt.at} attempt={attempt} isOpen={index === 0} />
      ))}
    </section>
  );
}

function inTime(at: string, nowMs: number): string {
  const ms = (msOf(at) ?? nowMs) - nowMs;
  return ms > 0 ? `, in ${formatSpan(ms)}` : '';
}

/** One attempt: when, the answer and how long it took; opened, what was sent and what came back. */
export function Attempt({ attempt, isOpen }: { attempt: AttemptReport; isOpen: boolean }) {
  const { at, status, code, result, durationMs, sent, answer } = attempt;
  const look = result === 'success' ? 'delivered' : 'dead';
  const line = (
    <>
      <time title={at}>{formatMoment(at, Date.now())}</time>{' '}
      <span class={`code ${look}`}>{String(status ?? code ?? result)}</span>{' '}
      <span class="took">{formatDuration(Math.round(durationMs))}</span>
    </>
  );
  if (sent === undefined && answer === undefined) return <p class="attempt">{line}</p>;
  return (
    <details class="attempt" open={isOpen}>
      <summary>{line}</summary>
      {answer !== undefined && (
        <>
          <h4>Answer</h4>
          <Headers of={answer.headers} />
          {answer.text === '' ? (
            <p class="nothing">The answer had no body.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach its end.
            <pre class="answer" tabIndex={0}>
              {visibleLines(answer.text)}
            </pre>
          )}
          {answer.isCut && <p class="nothing">Only the first {formatBytes(2048)} are kept.</p>}
        </>
      )}
      {sent !== undefined && (
        <>
          <h4>Request</h4>
          <Headers of={sent.headers} />
        </>
      )}
    </details>
  );
}

const Headers = ({ of: headers }: { of: Readonly<Record<string, string>> }) => (
  <dl class="headers">
    {Object.entries(headers).map(([name, value]) => (
      <div key={name}>
        <dt>{visible(name)}</dt>
        <dd>{visible(value)}</dd>
      </div>
    ))}
  </dl>
);
