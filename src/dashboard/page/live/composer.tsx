import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { MESSAGE_TYPES } from '../../../protocol/field-table.js';
import { call, problemOf } from '../service/api.js';
import { Dialog } from '../ui/dialog.js';

const isComposing = signal(false);

/** Opens the form. */
export function compose(): void {
  isComposing.value = true;
}

/** The fields that the form begins with. */
const EXAMPLES: Readonly<Record<(typeof MESSAGE_TYPES)[number], object>> = {
  track: { event: 'Order Completed', properties: { total: 42, currency: 'EUR' } },
  identify: { traits: { name: 'Ada', plan: 'pro' } },
  page: { name: 'Home', properties: { path: '/' } },
  screen: { name: 'Home', properties: { theme: 'dark' } },
  group: { groupId: 'g1', traits: { name: 'Ada Ltd', plan: 'pro' } },
  alias: { previousId: 'anonymous-1' },
};

const exampleOf = (type: keyof typeof EXAMPLES): string => JSON.stringify({ userId: 'u1', ...EXAMPLES[type] }, null, 2);

type Result = { readonly isDelivered: boolean; readonly text: string };

/** The dialog that sends a test event: its type, and its fields as JSON. */
export function Composer() {
  const close = (): void => {
    isComposing.value = false;
  };
  if (!isComposing.value) return null;
  return (
    <Dialog id="composer" title="Send a test event" onClose={close}>
      <ComposerForm />
    </Dialog>
  );
}

function ComposerForm() {
  const [type, setType] = useState<keyof typeof EXAMPLES>('track');
  const [text, setText] = useState(exampleOf('track'));
  const [result, setResult] = useState<Result | undefined>(undefined);
  const [isSending, setSending] = useState(false);
  const choose = (chosen: string): void => {
    const found = MESSAGE_TYPES.find((each) => each === chosen) ?? type;
    setType(found);
    setText(exampleOf(found));
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setSending(true);
    setResult(await post(type, text));
    setSending(false);
  };
  return (
    <form id="form" class="form" onSubmit={submit}>
      <label class="note">
        Type
        <select id="form-type" value={type} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {MESSAGE_TYPES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label class="note">
        Fields, as JSON
        <textarea
          id="form-fields"
          rows={9}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <footer class="bar apart">
        <p id="form-result" role="status" class={`says ${result?.isDelivered ? 'good' : 'bad'}`}>
          {result?.isDelivered ? 'Delivered. It is in the list.' : result?.text}
        </p>
        <button type="submit" class="primary" id="form-send" disabled={isSending}>
          Send
        </button>
      </footer>
    </form>
  );
}

async function post(type: string, fields: string): Promise<Result> {
  try {
    return await call<Result>('POST', '/debugger/send', { ...JSON.parse(fields), type });
  } catch (error) {
    const text = error instanceof SyntaxError ? `Not valid JSON: ${error.message}` : problemOf(error);
    return { isDelivered: false, text };
  }
}
