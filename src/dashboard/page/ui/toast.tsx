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

/** Copies a text, and shows that it was copied. Without HTTPS, only a page at `localhost` has a clipboard. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    say('The browser did not allow copying');
  }
}
