import { plural } from '../../../base/text/plural.js';
import type {
  AttemptReport,
  DeliveryExplanation,
  DeliveryReport,
  EndpointExplanation,
} from '../../../service/api/delivery-answers.js';
import {
  formatAgo,
  formatBytes,
  formatDuration,
  formatMoment,
  formatSpan,
  inOneLine,
  msOf,
  sentence,
  userOf,
  withoutScheme,
} from '../format-values.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Button, type DetailOf, Facts, Framed } from '../ui/detail.js';
import { JsonView } from '../ui/json-view.js';
import { Result } from '../ui/result.js';
import { copy } from '../ui/toast.js';
import { visible, visibleLines } from '../ui/visible.js';
import { change } from './api.js';
import { Answer } from './panel.js';
import { useAnswer } from './poll.js';

/** Names the event and the user. They come from the message if the list does not contain the delivery. */
function titleOf(delivery: DeliveryReport, message: unknown): string {
  const fields: Readonly<Record<string, unknown>> = { ...delivery, ...Object(message) };
  const [event, user] = [inOneLine(fields['event']) || `${fields['type']} call`, userOf(fields)];
  return user === '' ? event : `${event} · ${user}`;
}

/** Finds the delivery's explanation. The address may name a destination or source that does not know the message. */
const explanationOf = ({ destination, source }: DeliveryReport, of: readonly DeliveryExplanation[]) =>
  of.find((each) => each.destination === destination && each.source === source) ??
  of.find((each) => each.destination === destination) ??
  of[0];

/** Shows a message, where it went and what the webhooks answered. */
export function useDeliveryDetail(delivery: DeliveryReport): DetailOf {
  const { id, destination } = delivery;
  const polled = useAnswer('GET /v1/deliveries/:id', { id });
  const { value = [] } = polled;
  const first = explanationOf(delivery, value);
  // Another source may have used the same id for a different event.
  const ofSource = value.filter(({ source }) => source === first?.source);
  const message = first?.message ?? ofSource.find((each) => each.message != null)?.message;
  const nowMs = Date.now();
  return {
    badge: first?.type ?? 'delivery',
    look: first?.type ?? '',
    title: titleOf(delivery, message),
    facts: first && [
      ['Message id', id],
      ['Source', first.source ?? 'unknown'],
      [
        ...(['Accepted', `${formatMoment(first.acceptedAt, nowMs)}, ${formatAgo(first.acceptedAt, nowMs)}`] as const),
        first.acceptedAt,
      ],
    ],
    acts: [{ text: 'Copy message id', act: () => copy(id, 'Message id') }],
    below: (
      <Answer of={polled}>
        {() => (
          <>
            <Explanations of={ofSource} destination={destination} />
            {message !== undefined && (
              <>
                <h3>Message</h3>
                <JsonView value={message} />
              </>
            )}
          </>
        )}
      </Answer>
    ),
  };
}

/** Shows the state of a message at the selected destination, and collapses the others. */
function Explanations({ of, destination }: { of: readonly DeliveryExplanation[]; destination: string }) {
  const clicked = of.filter((each) => each.destination === destination);
  // The address may name a destination that does not know the message.
  const shown = clicked.length === 0 ? of : clicked;
  const others = of.filter((each) => !shown.includes(each));
  const draw = (explanations: readonly DeliveryExplanation[]) =>
    explanations.map((each) => <Explanation key={`${each.destination} ${each.id}`} explanation={each} />);
  return (
    <>
      {draw(shown)}
      {others.length > 0 && (
        <details>
          <summary>At {plural(others.length, 'other destination')}</summary>
          {draw(others)}
        </details>
      )}
    </>
  );
}

/** Shows each webhook of a destination with its attempts, and why there will or will not be another. */
const Explanation = ({ explanation }: { explanation: DeliveryExplanation }) => (
  <>
    <h3>{visible(explanation.destination)}</h3>
    {explanation.endpoints.map((endpoint, index) => (
      <Place key={`${index} ${endpoint.url}`} {...{ explanation, endpoint }} />
    ))}
  </>
);

interface PlaceProps {
  readonly explanation: DeliveryExplanation;
  readonly endpoint: EndpointExplanation;
}

function Place(props: PlaceProps) {
  const { phase, url, why, rule, nextAttemptAt, triedUntil, attempts } = props.endpoint;
  const look = phase === 'dead' || phase === 'delivered' || phase === 'spared' ? phase : 'retry';
  const nowMs = Date.now();
  const parts = [
    sentence(why),
    rule ? sentence(rule) : '',
    nextAttemptAt == null ? '' : `Next attempt ${formatMoment(nextAttemptAt, nowMs)}${inTime(nextAttemptAt, nowMs)}.`,
    triedUntil == null ? '' : `Tried until ${formatMoment(triedUntil, nowMs)}.`,
  ];
  return (
    <section class="place-box">
      <p class="line">
        <span class={`badge ${look}`}>{phase}</span>
        <span class="url mono">{visible(withoutScheme(url))}</span>
      </p>
      <p>{visible(parts.filter(Boolean).join(' '))}</p>
      <Acts {...props} />
      {[...attempts].reverse().map((attempt, index) => (
        <Attempt key={attempt.at} attempt={attempt} isOpen={index === 0} />
      ))}
    </section>
  );
}

/** Shows the actions for a message at one webhook. */
function Acts({ explanation: { destination, id, endpoints }, endpoint }: PlaceProps) {
  const { phase, id: webhook, url } = endpoint;
  const replay = (state: 'dead' | 'delivered', said: string): Promise<void> => {
    // A delivered event is always sent to every webhook again.
    const where = state === 'delivered' ? {} : { endpoint: webhook ?? url };
    return change('POST /v1/deliveries/replay', { destination, id, state, ...where }, {}, said);
  };
  const discard = (text: string, state: 'dead' | 'waiting', said: string) => (
    <ConfirmButton
      text={text}
      question="It will never reach its webhook. This cannot be undone."
      onConfirm={() =>
        change('POST /v1/deliveries/discard', { destination, id, state, endpoint: webhook ?? url }, {}, said)
      }
    />
  );
  if (phase === 'in flight') return null;
  return (
    <div class="line">
      {phase === 'dead' && (
        <Button isChange look="quiet framed act" onClick={() => replay('dead', 'Replayed')}>
          Replay
        </Button>
      )}
      {phase === 'dead' && discard('Discard', 'dead', 'Discarded')}
      {(phase === 'pending' || phase === 'retrying') && discard('Skip', 'waiting', 'Skipped')}
      {phase === 'delivered' && endpoints.every((each) => each.phase === 'delivered') && (
        <Button isChange onClick={() => replay('delivered', 'Sent again')}>
          Send again
        </Button>
      )}
    </div>
  );
}

function inTime(at: string, nowMs: number): string {
  const ms = (msOf(at) ?? nowMs) - nowMs;
  return ms > 0 ? `, in ${formatSpan(ms)}` : '';
}

/** Shows the time, answer and duration of an attempt and, when opened, the full request and answer. */
export function Attempt({ attempt, isOpen }: { attempt: AttemptReport; isOpen: boolean }) {
  const { at, status, code, result, durationMs, sent, answer } = attempt;
  const look = result === 'success' ? 'delivered' : 'dead';
  const line = (
    <>
      <time class="note" title={at}>
        {formatMoment(at, Date.now())}
      </time>{' '}
      <span class={`code ${look}`}>
        <Result of={String(status ?? code ?? result)} />
      </span>{' '}
      <span class="note">{formatDuration(durationMs)}</span>
    </>
  );
  if (sent === undefined && answer === undefined) return <p class="attempt">{line}</p>;
  return (
    <details class="attempt" open={isOpen}>
      <summary>{line}</summary>
      {answer !== undefined && (
        <>
          <h4>Answer</h4>
          <Facts look="headers" of={Object.entries(answer.headers)} />
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
          <Facts look="headers" of={Object.entries(sent.headers)} />
        </>
      )}
    </details>
  );
}
