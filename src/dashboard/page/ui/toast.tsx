import { signal } from '@preact/signals';

const SHOWN_MS = 1_800;
const said = signal('');
let timer = 0;

/** Shows a text briefly, and has screen readers read it. */
export function say(text: string): void {
  said.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    said.value = '';
  }, SHOWN_MS);
}

export const Toast = () => (
  <p class="toast" id="toast" role="status">
    {said.value}
  </p>
);

/** Copies a text, and shows that it was copied. */
export async function copy(text: string, what: string): Promise<void> {
  say((await write(text)) ? `${what} copied` : 'The browser did not allow copying');
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without HTTPS, a page has a clipboard only if its host is `localhost` or a loopback address.
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
