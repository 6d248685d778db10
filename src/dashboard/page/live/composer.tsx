import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Field, IS_JSON, MESSAGE_TYPES } from '../../../protocol/field-table.js';
import { ownFields } from '../../../protocol/own-fields.js';
import { call, problemOf } from '../service/api.js';
import { CloseButton } from '../ui/detail.js';

const isComposing = signal(false);

/** Opens the form. */
export function compose(): void {
  isComposing.value = true;
}

type OwnFields = typeof ownFields;
type FieldName = { [T in keyof OwnFields]: keyof OwnFields[T] }[keyof OwnFields];
type ComposerField = readonly [label: string, value: string];

/** The label and initial value of the input for each field. The user id has its own input, and `category` has none. */
const INPUTS: Readonly<Record<Exclude<FieldName, 'category' | 'userId'>, ComposerField>> = {
  event: ['Event', 'Order Completed'],
  name: ['Name', 'Home'],
  groupId: ['Group id', 'g1'],
  previousId: ['Previous id', 'anonymous-1'],
  properties: ['Properties, as JSON', '{ "total": 42, "currency": "EUR" }'],
  traits: ['Traits, as JSON', '{ "name": "Ada", "plan": "pro" }'],
};

/** Returns the inputs for a type. */
const fieldsOf = (type: string): [name: string, field: Field][] =>
  Object.entries<Field>(ownFields[type as keyof OwnFields]).filter(([name]) => name in INPUTS);

type Result = { readonly isDelivered: boolean; readonly text: string };

export function Composer() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isComposing.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const close = (): void => {
    isComposing.value = false;
  };
  return (
    <dialog
      id="composer"
      class="card"
      ref={dialog}
      aria-labelledby="composer-title"
      onClose={close}
      // The dialog itself is the target only if the click is outside of its content.
      onMouseDown={({ target, currentTarget }) => target === currentTarget && close()}
    >
      <ComposerForm isOpen={isOpen} close={close} />
    </dialog>
  );
}

function ComposerForm({ isOpen, close }: { isOpen: boolean; close(): void }) {
  const [type, setType] = useState('track');
  const [result, setResult] = useState<Result | undefined>(undefined);
  const [isSending, setSending] = useState(false);
  useEffect(() => setResult(undefined), [isOpen]);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setSending(true);
    setResult(await post(type, new FormData(event.currentTarget as HTMLFormElement)));
    setSending(false);
  };
  return (
    <form method="dialog" id="form" class="form" onSubmit={submit}>
      <header class="bar apart wide">
        <h2 id="composer-title">Send a test event</h2>
        <CloseButton id="composer-close" onClick={close} />
      </header>
      <label class="note">
        Type
        <select id="form-type" value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
          {MESSAGE_TYPES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label class="note">
        User id
        <input id="form-userId" name="userId" defaultValue="u1" autocomplete="off" spellcheck={false} />
      </label>
      {fieldsOf(type).map(([name, { kind }]) => (
        <FormField key={name} name={name} isJson={IS_JSON[kind]} />
      ))}
      <footer class="bar apart wide">
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

function FormField({ name, isJson }: { name: string; isJson: boolean }) {
  const [label, value] = (INPUTS as Readonly<Record<string, ComposerField>>)[name] ?? [name, ''];
  return (
    <label class="note wide" for={`form-${name}`}>
      {label}
      {isJson ? (
        <textarea id={`form-${name}`} name={name} rows={5} spellcheck={false} defaultValue={value} />
      ) : (
        <input id={`form-${name}`} name={name} defaultValue={value} autocomplete="off" />
      )}
    </label>
  );
}

async function post(type: string, form: FormData): Promise<Result> {
  try {
    return await call<Result>('POST', '/debugger/send', messageOf(type, form));
  } catch (error) {
    const text = error instanceof SyntaxError ? `Not valid JSON: ${error.message}` : problemOf(error);
    return { isDelivered: false, text };
  }
}

/** Reads the message from the form. @throws SyntaxError when a field that holds JSON is not valid JSON */
function messageOf(type: string, form: FormData): Record<string, unknown> {
  const message: Record<string, unknown> = { type, userId: form.get('userId') };
  for (const [name, { kind }] of fieldsOf(type)) {
    const text = String(form.get(name) ?? '');
    message[name] = IS_JSON[kind] ? JSON.parse(text || '{}') : text;
  }
  return message;
}
