import { useState } from 'preact/hooks';
import type { DestinationReport } from '../../../service/api/answers.js';
import type { TestResult } from '../../../service/api/delivery-answers.js';
import { withoutScheme } from '../format.js';
import { Button } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { pathOf, problemOf, send } from './api.js';
import { Attempt } from './delivery.js';

/** Sends one event to the webhooks now, and shows what they answer. */
export function TestEvent({ report: { name, endpoints } }: { report: DestinationReport }) {
  const [endpoint, choose] = useState('');
  const [isSending, setSending] = useState(false);
  const [results, show] = useState<readonly TestResult[]>([]);
  const [problem, say] = useState('');
  const test = async (): Promise<void> => {
    setSending(true);
    say('');
    try {
      show(await send<TestResult[]>('POST', pathOf('destinations', name, 'test'), endpoint === '' ? {} : { endpoint }));
    } catch (error) {
      show([]);
      say(problemOf(error));
    }
    setSending(false);
  };
  return (
    <section aria-label="Test event">
      <div class="line">
        <h3>Test event</h3>
        <div class="bulk">
          {endpoints.length > 1 && (
            <label class="choice">
              To
              <select value={endpoint} onChange={({ currentTarget }) => choose(currentTarget.value)}>
                <option value="">all webhooks</option>
                {endpoints.map(({ id, url }, index) => (
                  <option key={`${index} ${url}`} value={id ?? url}>
                    {visible(id ?? withoutScheme(url))}
                  </option>
                ))}
              </select>
            </label>
          )}
          <Button disabled={isSending} onClick={test}>
            Send a test event
          </Button>
        </div>
      </div>
      <p class={problem === '' ? 'about' : 'bad'} role="status">
        {problem ||
          (isSending ? 'Waiting for the answer …' : 'Sent once, signed as any other; neither stored nor tried again.')}
      </p>
      {results.map(({ url, attempt }, index) => (
        <div class="place-box" key={`${index} ${url}`}>
          <p class="place">
            <span class="url">{visible(withoutScheme(url))}</span>
          </p>
          <Attempt attempt={attempt} isOpen />
        </div>
      ))}
    </section>
  );
}
