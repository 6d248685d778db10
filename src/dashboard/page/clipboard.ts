import { byId, make, setText } from './dom.js';

const SHOWN_MS = 1_800;
let timer = 0;

/** Copies, and says so. */
export async function copy(text: string, what: string): Promise<void> {
  say((await write(text)) ? `${what} copied` : 'The browser did not allow copying');
}

/** Says something for a moment, to eyes and ears. */
export function say(text: string): void {
  const toast = byId('toast', HTMLElement);
  setText(toast, text);
  toast.classList.add('shown');
  clearTimeout(timer);
  timer = setTimeout(() => toast.classList.remove('shown'), SHOWN_MS);
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
  const area = make('textarea', 'hidden');
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  return isDone;
}
