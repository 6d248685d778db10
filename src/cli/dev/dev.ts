import { Option } from 'commander';
import { printable } from '../../base/text/printable.js';
import { refuseUnused } from '../cli-error.js';
import type { CliCommand } from '../command.js';
import { hostOption, list, portOption, secretOption } from '../options/argument-parsers.js';
import { WRITE_KEY_VARIABLE } from '../options/connection.js';
import { whenInterrupted } from '../terminal/interruption.js';
import type { Terminal } from '../terminal/terminal.js';
import { openBrowser } from './browser.js';
import type { DevServer, DevServerOptions } from './dev-server.js';
import { printRequest } from './print-request.js';

interface DevOptions extends DevServerOptions {
  readonly open?: boolean | undefined;
}

export function devCommand(command: CliCommand): void {
  command
    .description('run a collector and a page that shows what arrives, in memory')
    .addOption(portOption(4100))
    .addOption(hostOption())
    .addOption(
      new Option('--write-key <key>', 'write key that clients must send').default('dev').env(WRITE_KEY_VARIABLE),
    )
    .option('--open', 'open the page in the browser')
    .option('--webhook <url>', 'forward every message to this URL; up to five', list)
    .addOption(secretOption('secret that signs forwarded messages'))
    .examples('dev --open', 'dev --webhook http://127.0.0.1:4200 --secret shhh')
    .runs(async () => async (options: DevOptions, terminal: Terminal) => {
      // The variable may be set for other commands, so only the option counts.
      const secret = command.getOptionValueSource('secret') === 'cli' ? options.secret : undefined;
      if (options.webhook === undefined)
        refuseUnused({ '--secret': secret }, 'signs what --webhook forwards; give --webhook URL');
      return dev(terminal, { ...options, isKeyInEnvironment: command.getOptionValueSource('writeKey') === 'env' });
    });
}

/** Runs until Ctrl-C. */
async function dev(terminal: Terminal, options: DevOptions): Promise<void> {
  const { startDev } = await import('./dev-server.js');
  const server = await startDev({
    ...options,
    onAnswered: (answered, _, request) => printRequest(answered, request, terminal),
  });
  // Signals are handled before the first line is printed, because its reader may press Ctrl-C immediately.
  const interrupted = whenInterrupted();
  const { url, snippet } = server;
  const webhooks = options.webhook ?? [];
  terminal.print(describe(server, options, terminal), { url, snippet, webhooks });
  if (options.open) openBrowser(server.url, process.platform);
  await interrupted;
  await server.close();
}

function describe(
  { url, snippet }: DevServer,
  { webhook: webhooks = [], secret }: DevOptions,
  terminal: Terminal,
): string {
  const code = snippet.map((line) => `  ${terminal.style('cyan', line)}`).join('\n');
  const signed = secret === undefined ? 'unsigned, because there is no --secret' : 'signed';
  const forwarding =
    webhooks.length === 0 ? '' : `Forwarding to ${webhooks.map(printable).join(' and ')}, ${signed}.\n\n`;
  return `Watch your events arrive at ${terminal.style('bold', url)}\n\n${forwarding}Send one with:\n\n${code}\n\nPress Ctrl-C to stop.`;
}
