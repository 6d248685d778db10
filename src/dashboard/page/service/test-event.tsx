import { useState } from 'preact/hooks';
import type { DestinationReport } from '../../../service/api/answer-types.js';
import type { TestResult } from '../../../service/api/delivery-answers.js';
import { withoutScheme } from '../format-values.js';
import { Button, Section } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { problemOf, send } from './api.js';
import { Attempt } from './delivery.js';

/** Sends one event to the webhooks at once, and shows their answers. */
export function TestEvent({ report: { name } }: { report: DestinationReport }) {
  const [isSending, setSending] = useState(false);
  const [results, show] = useState<readonly TestResult[]>([]);
  const [problem, say] = useState('');
  const test = async (): Promise<void> => {
    setSending(true);
    say('');
    try {
      show(await send('POST /v1/destinations/:name/test', {}, { name }));
    } catch (error) {
      show([]);
      say(problemOf(error));
    }
    setSending(false);
  };
  const beside = (
    <Button isChange disabled={isSending} onClick={() => void test()}>
      Send a test event
    </Button>
  );
  return (
    <Section title="Test event" beside={beside}>
      <p class={problem === '' ? 'note' : 'bad'} role="status">
        {problem ||
          (isSending
            ? 'Waiting for the answer …'
            : 'Sent once to each webhook, signed as any other; neither stored nor tried again.')}
      </p>
      {results.map(({ url, attempt }, index) => (
        <div class="place-box" key={`${index} ${url}`}>
          <p class="url mono">{visible(withoutScheme(url))}</p>
          <Attempt attempt={attempt} isOpen />
        </div>
      ))}
    </Section>
  );
}
