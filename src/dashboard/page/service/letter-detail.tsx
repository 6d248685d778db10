import { useEffect, useState } from 'preact/hooks';
import type { DeadLetter, DeadLetterWithBody } from '../../../service/api/answers.js';
import type { DeliveryExplanation } from '../../../service/api/delivery-answers.js';
import { formatMoment } from '../moment.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Button, Facts, Head } from '../ui/detail.js';
import { JsonView } from '../ui/json-view.js';
import { copy } from '../ui/toast.js';
import { get, pathOf, problemOf } from './api.js';
import type { BulkJob } from './bulk-job.js';
import { Explanations, Place } from './delivery.js';

export interface LetterDetailProps {
  /** Whose dead letter it is: others may have got the event, or have one too. */
  readonly destination: string;
  readonly letter: DeadLetter;
  close(): void;
  act(what: BulkJob['act']): Promise<void>;
  /** The letter with its message. */
  read(): Promise<DeadLetterWithBody> | undefined;
}

/** What was answered once, or why it was not. */
interface Answer<T> {
  readonly value?: T | undefined;
  readonly problem: string;
}

/** A dead letter: its actions, its state at every destination, and its message. */
export function LetterDetail({ destination, letter, close, act, read }: LetterDetailProps) {
  const { id, type, event, userId, anonymousId, acceptedAt } = letter;
  const explained = useOnce(() => get<DeliveryExplanation[]>(pathOf('deliveries', id)));
  const whole = useOnce(async () => read());
  return (
    <>
      <Head badge={type} look={type} title={id} onClose={close} />
      <Facts
        of={[
          ['Event', event ?? ''],
          ['User', userId ?? anonymousId ?? 'unknown'],
          ['Accepted', formatMoment(acceptedAt, Date.now()), acceptedAt],
        ]}
      />
      <div class="copies">
        <Button look="quiet framed act" onClick={() => void act('replay')}>
          Replay
        </Button>
        <ConfirmButton
          text="Discard"
          question="It then never reaches its webhook. It cannot be brought back."
          onConfirm={() => act('discard')}
        />
        <Button onClick={() => copy(id, 'Message id')}>Copy message id</Button>
      </div>
      <div class="places">
        {explained.value === undefined ? (
          // As much as the letter itself knows.
          letter.endpoints.map(({ url, attempts }, index) => (
            <Place key={`${index} ${url}`} phase="dead" url={url} attempts={attempts} />
          ))
        ) : (
          <Explanations of={explained.value} destination={destination} />
        )}
        {explained.problem !== '' && <p class="bad">{explained.problem}</p>}
        {whole.value !== undefined && (
          <>
            <h3>Message</h3>
            <JsonView value={whole.value.body} />
          </>
        )}
        {whole.problem !== '' && <p class="bad">{whole.problem}</p>}
      </div>
    </>
  );
}

/** Asks once, as long as the component lives. */
function useOnce<T>(ask: () => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ problem: '' });
  useEffect(() => {
    ask().then(
      (value) => setAnswer({ value, problem: '' }),
      (error) => setAnswer({ problem: problemOf(error) }),
    );
  }, []);
  return answer;
}
