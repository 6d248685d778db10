import { spawn } from 'node:child_process';

/** Opens the page in the system's browser. If there is no browser, nothing happens, because the URL is printed anyway. */
export function openBrowser(url: string, platform: NodeJS.Platform): void {
  const [command, ...args] = openerOf(platform);
  spawn(command, [...args, url], { detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}

function openerOf(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // `start` is a shell command that treats its first quoted word as the title of the window.
  if (platform === 'win32') return ['cmd', '/c', 'start', '""'];
  return ['xdg-open'];
}
