import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';

/** Where the build puts the page: beside the built command, and in the same place for the source. Compressed. */
const PLACES = ['../debugger.html.br', '../../../dist/debugger.html.br'];

/** @throws when the page is not built. */
export async function readPage(): Promise<string> {
  for (const place of PLACES) {
    try {
      return brotliDecompressSync(await readFile(new URL(place, import.meta.url))).toString();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('the debugger page is not built; npm run build makes it');
}

/** The page as the service gives it: it asks for the admin token, and shows what the service holds. */
export const servicePage = (html: string): string => html.replace('data-server="dev"', 'data-server="service"');

/**
 * What a browser may do with the page: run the script and the style that are in it, known by their hashes, and talk to
 * where it came from. Nothing else can be loaded, and no other page may frame it.
 */
export function pageHeaders(html: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src ${hashesOf(html, 'script')}`,
    `style-src ${hashesOf(html, 'style')}`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    ...privateHeaders,
  };
}

/** For everything the debugger answers. */
export const privateHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

function hashesOf(html: string, element: 'script' | 'style'): string {
  const contents = [...html.matchAll(new RegExp(`<${element}[^>]*>([\\s\\S]*?)</${element}>`, 'g'))];
  const hashes = contents.map(
    ([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
  );
  return hashes.length === 0 ? "'none'" : hashes.join(' ');
}
