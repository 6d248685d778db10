import { createHash } from 'node:crypto';
import { readBuiltFile } from '../../base/process/built-file.js';

/** @throws when the page has not been built */
export async function readPage(): Promise<string> {
  const html = await readBuiltFile('debugger.html');
  if (html === undefined) throw new Error('the debugger page is not built; npm run build makes it');
  return html;
}

/** Turns the page into that of a service, which asks for the admin token. */
export const servicePage = (html: string): string => html.replace('data-server="dev"', 'data-server="service"');

/**
 * Allows a browser to run the script and style in the page, which are identified by their hashes, and to connect to the server of
 * the page. Nothing else can be loaded, and no other page may frame it.
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

/** The headers of every answer of the debugger. */
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
