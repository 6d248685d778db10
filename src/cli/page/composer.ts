import { byId, setText } from './dom.js';

/** The fields of the form that each type takes. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  track: ['event', 'properties'],
  identify: ['traits'],
  page: ['name', 'properties'],
  screen: ['name', 'properties'],
  group: ['groupId', 'traits'],
  alias: ['previousId'],
};
const TEXTS = ['event', 'name', 'groupId', 'previousId'];
const OBJECTS = ['properties', 'traits'];

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
  // A press on what is behind closes it; the dialog itself is only its edge.
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
  for (const field of [...TEXTS, ...OBJECTS]) {
    byId(`form-${field}-label`, HTMLElement).hidden = !FIELDS[type]?.includes(field);
  }
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
      text: isMistake ? `No valid JSON: ${error.message}` : 'The server cannot be reached.',
    };
  }
}

/** @throws SyntaxError when a field that holds JSON does not */
function messageOf(type: string): Record<string, unknown> {
  const message: Record<string, unknown> = { type, userId: byId('form-userId', HTMLInputElement).value };
  for (const field of FIELDS[type] ?? []) {
    if (TEXTS.includes(field)) message[field] = byId(`form-${field}`, HTMLInputElement).value;
    else message[field] = JSON.parse(byId(`form-${field}`, HTMLTextAreaElement).value || '{}');
  }
  return message;
}
