import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { plural } from '../../../base/text/plural.js';
import type { AttemptReport, DeliveryExplanation, EndpointExplanation } from '../../../service/api/delivery-answers.js';
import { formatBytes, formatDuration, withoutScheme } from '../format.js';
import { formatMoment, formatSpan, msOf } from '../moment.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Button, Framed } from '../ui/detail.js';
import { sentence } from '../ui/sentence.js';
import { say } from '../ui/toast.js';
import { visible, visibleLines } from '../ui/visible.js';
import { sayProblem, send } from './api.js';

/** Where a message stands at the destination that was clicked, and folded what there is of others. */
export function Explanations(props: {
  of: readonly DeliveryExplanation[];
  destination: string;
  /** Something was done about it. */
  onChange(): void;
}) {
  const { of, destination, onChange } = props;
  const [isOpen, setOpen] = useState(false);
  const clicked = of.filter((each) => each.destination === destination);
  // An address may name one that knows nothing of the message.
  const shown = clicked.length === 0 ? of : clicked;
  const others = clicked.length === 0 ? [] : of.filter((each) => each.destination !== destination);
  const draw = (explanations: readonly DeliveryExplanation[]) =>
    explanations.map((each) => (
      <Explanation key={`${each.destination} ${each.id}`} explanation={each} onChange={onChange} />
    ));
  return (
    <>
      {draw(shown)}
      {others.length > 0 && (
        <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>At {plural(others.length, 'other destination')}</summary>
          {isOpen && draw(others)}
        </details>
      )}
    </>
  );
}

/** Where one message stands at a destination: each webhook, each attempt, and why there will or will not be another. */
const Explanation = ({ explanation, onChange }: { explanation: DeliveryExplanation; onChange(): void }) => (
  <>
    <h3>{visible(explanation.destination)}</h3>
    {explanation.endpoints.map((endpoint, index) => (
      <Place key={`${index} ${endpoint.url}`} {...endpoint}>
        <Acts explanation={explanation} endpoint={endpoint} onChange={onChange} />
      </Place>
    ))}
  </>
);

interface ActsProps {
  readonly explanation: DeliveryExplanation;
  readonly endpoint: EndpointExplanation;
  onChange(): void;
}

/** What can be done about a message at one webhook. */
function Acts({
  explanation: { destination, id, endpoints },
  endpoint: { phase, id: webhook, url },
  onChange,
}: ActsProps) {
  const act = async (what: 'replay' | 'discard', state: string, said: string): Promise<void> => {
    // A delivered event goes to every webhook again.
    const where = state === 'delivered' ? {} : { endpoint: webhook ?? url };
    try {
      await send('POST', `/v1/deliveries/${what}`, { destination, id, state, ...where });
      say(said);
    } catch (error) {
      sayProblem(error);
    }
    onChange();
  };
  const discard = (text: string, state: string, said: string) => (
    <ConfirmButton
      text={text}
      question="It then never reaches its webhook. It cannot be brought back."
      onConfirm={() => act('discard', state, said)}
    />
  );
  if (phase === 'in flight') return null;
  return (
    <div class="line">
      {phase === 'dead' && (
        <Button isChange look="quiet framed act" onClick={() => void act('replay', 'dead', 'Replayed')}>
          Replay
        </Button>
      )}
      {phase === 'dead' && discard('Discard', 'dead', 'Discarded')}
      {(phase === 'pending' || phase === 'retrying') && discard('Skip', 'waiting', 'Skipped')}
      {phase === 'delivered' && endpoints.every((each) => each.phase === 'delivered') && (
        <Button isChange onClick={() => void act('replay', 'delivered', 'Sent again')}>
          Send again
        </Button>
      )}
    </div>
  );
}

type PlaceProps = Pick<EndpointExplanation, 'url' | 'phase' | 'attempts'> &
  Partial<EndpointExplanation> & { readonly children?: ComponentChildren };

/** A message at one webhook. */
function Place({ phase, url, why, rule, nextAttemptAt, triedUntil, attempts, children }: PlaceProps) {
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
      <p class="line">
        <span class={`badge ${look}`}>{phase}</span>
        <span class="url mono">{visible(withoutScheme(url))}</span>
      </p>
      {says !== '' && <p>{visible(says)}</p>}
      {children}
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
      <time class="note" title={at}>
        {formatMoment(at, Date.now())}
      </time>{' '}
      <span class={`code ${look}`}>{String(status ?? code ?? result)}</span>{' '}
      <span class="note">{formatDuration(Math.round(durationMs))}</span>
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
            <p class="note">The answer had no body.</p>
          ) : (
            <Framed>{visibleLines(answer.text)}</Framed>
          )}
          {answer.isCut && <p class="note">Only the first {formatBytes(2048)} are kept.</p>}
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
