import { formatCount, plural } from '../../plural.js';
import { printable } from '../../printable.js';
import type { AudienceReport } from '../../service/api/answers.js';
import { EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal.js';
import { type AdminOptions, adminOf } from './admin.js';

/** Prints the audiences, one line each. */
export async function listAudiences(options: AdminOptions, terminal: Terminal): Promise<number> {
  const audiences = await adminOf(options).audiences();
  for (const audience of audiences) terminal.print(describe(audience, terminal), audience);
  terminal.note(plural(audiences.length, 'audience'), { audiences: audiences.length });
  return EXIT.ok;
}

/** Prints one audience. */
export async function showAudience(name: string, options: AdminOptions, terminal: Terminal): Promise<number> {
  const audience = await adminOf(options).audience(name);
  terminal.print(describe(audience, terminal), audience);
  return EXIT.ok;
}

function describe({ name, trait, members, syncedAt, sync }: AudienceReport, terminal: Terminal): string {
  const parts = [
    terminal.style('bold', printable(name)),
    trait,
    plural(members, 'member'),
    syncedAt === null ? 'not synced yet' : `synced ${syncedAt}`,
  ];
  if (sync !== undefined) parts.push(`${sync.phase}, ${formatCount(sync.applied)} of ${formatCount(sync.received)}`);
  return parts.join('  ');
}
