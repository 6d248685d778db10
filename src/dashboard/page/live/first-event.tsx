import { Button, Empty, Framed } from '../ui/detail.js';
import { copy } from '../ui/toast.js';
import { compose } from './composer.js';
import { hello } from './feed.js';
import { isService } from './site.js';

/** Explains how to send the first message. */
export function FirstEvent() {
  const lines = hello.value?.snippet ?? [];
  return (
    <Empty title="Waiting for the first event" id="empty-messages">
      <p id="snippet-says">
        {isService
          ? 'Messages appear here as they arrive. The service records them only while this view is open.'
          : 'Paste this into your code. The event appears here as soon as it arrives.'}
      </p>
      {lines.length > 0 && <Snippet id="snippet" what="Code" text={lines.join('\n')} />}
      {!isService && (
        <p id="compose-says">
          No code at hand?{' '}
          <Button look="link" id="compose-empty" onClick={compose}>
            Send a test event
          </Button>
        </p>
      )}
    </Empty>
  );
}

export const Snippet = ({ id, text, what }: { id: string; text: string; what: string }) => (
  <div class="snippet">
    <Framed id={id}>{text}</Framed>
    <Button onClick={() => copy(text, what)}>Copy</Button>
  </div>
);
