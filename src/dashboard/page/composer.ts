import { type Field, ownFields } from '../../protocol/field-table.js';
import { byId, setText } from './dom.js';

/** The fields the form has an input for, beside the user's id. */
const INPUTS = ['event', 'name', 'groupId', 'previousId', 'properties', 'traits'];

const fieldsByType: Readonly<Record<string, Readonly<Record<string, Field>>>> = ownFields;

/** Those that a type takes. */
const fieldsOf = (type: string): [name: string, field: Field][] =>
  Object.entries(fieldsByType[type] ?? {}).filter(([name]) => INPUTS.includes(name));

/** The form that sends a test event. */
export function startComposer(): void {
  const dialog = byId('composer', HTMLDialogElement);
  const type = byId('form-type', HTMLSelectElement);
  const result = byId('form-result', HTMLElement);
  const send = byId('form-send', HTMLButtonElement);
  const open = (): void => {
    setText(result, '');
    showFields(type.value);
    dialog.showModal();
  };
  byId('compose', HTMLElement).addEventListener('click', open);
  byId('compose-empty', HTMLElement).addEventListener('click', open);
  byId('composer-close', HTMLElement).addEventListener('click', () => dialog.close());
  type.addEventListener('change', () => showFields(type.value));
  // The target is the dialog itself only outside of its content.
  dialog.addEventListener('mousedown', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  byId('form', HTMLFormElement).addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    const { isDelivered, text } = await post(type.value);
    result.className = isDelivered ? 'good' : 'bad';
    setText(result, isDelivered ? 'Delivered. It is in the list.' : text);
    send.disabled = false;
  });
}

function showFields(type: string): void {
  const shown = fieldsOf(type).map(([name]) => name);
  for (const name of INPUTS) byId(`form-${name}-label`, HTMLElement).hidden = !shown.includes(name);
}

async function post(type: string): Promise<{ isDelivered: boolean; text: string }> {
  try {
    const response = await fetch('/debugger/send', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(messageOf(type)),
    });
    const { isDelivered = false, text, message } = await response.json();
    return { isDelivered, text: text ?? message ?? `Answered ${response.status}.` };
  } catch (error) {
    const isMistake = error instanceof SyntaxError;
    return {
      isDelivered: false,
      text: isMistake ? `Not valid JSON: ${error.message}` : 'The server cannot be reached.',
    };
  }
}

/** @throws SyntaxError when a field that holds JSON does not */
function messageOf(type: string): Record<string, unknown> {
  const message: Record<string, unknown> = { type, userId: byId('form-userId', HTMLInputElement).value };
  for (const [name, { kind }] of fieldsOf(type)) {
    if (kind === 'object') message[name] = JSON.parse(byId(`form-${name}`, HTMLTextAreaElement).value || '{}');
    else message[name] = byId(`form-${name}`, HTMLInputElement).value;
  }
  return message;
}
