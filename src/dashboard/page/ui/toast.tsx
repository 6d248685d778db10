import { signal } from '@preact/signals';

const SHOWN_MS = 1_800;
const said = signal({ text: '', isShown: false });
let timer = 0;

/** Says something for a moment, to eyes and ears. */
export function say(text: string): void {
  said.value = { text, isShown: true };
  clearTimeout(timer);
  timer = setTimeout(() => {
    said.value = { text, isShown: false };
  }, SHOWN_MS);
}

export const Toast = () => (
  <p class={`toast ${said.value.isShown ? 'shown' : ''}`} id="toast" role="status">
    {said.value.text}
  </p>
);

/** Copies, and says so. */
export async function copy(text: string, what: string): Promise<void> {
  say((await write(text)) ? `${what} copied` : 'The browser did not allow copying');
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without HTTPS only this machine's own names have a clipboard.
    return writeTheOldWay(text);
  }
}

function writeTheOldWay(text: string): boolean {
  const area = document.createElement('textarea');
  area.className = 'hidden';
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  return isDone;
}
