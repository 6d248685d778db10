import { useId } from 'preact/hooks';
import { Button, Empty, Framed } from '../ui/detail.js';
import { copy } from '../ui/toast.js';
import { compose } from './composer.js';
import { hello } from './feed.js';

const Boat = () => (
  <svg class="scene" viewBox="0 0 160 72" aria-hidden="true">
    <path d="M44 38h72l-11 16H55zM58 38V24h28l14 14M66 31h4M76 31h4M70 24v-7h6v7" />
    <path class="wave" d="M12 60c8 0 8-5 16-5s8 5 16 5 8-5 16-5 8 5 16 5 8-5 16-5 8 5 16 5 8-5 16-5 8 5 16 5" />
    <path class="wave" d="M36 67c6 0 6-3 12-3s6 3 12 3 6-3 12-3 6 3 12 3 6-3 12-3 6 3 12 3 6-3 12-3" />
  </svg>
);

/** Explains how to send the first message. */
export function FirstEvent({ isService }: { isService: boolean }) {
  const lines = hello.value?.snippet ?? [];
  return (
    <Empty title="Waiting for the first event" id="empty-messages" scene={<Boat />}>
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

export function Snippet({ id, text, what }: { id?: string; text: string; what: string }) {
  const own = useId();
  return (
    <div class="snippet">
      <Framed id={id ?? own}>{text}</Framed>
      <Button onClick={() => copy(text, what)}>Copy</Button>
    </div>
  );
}
