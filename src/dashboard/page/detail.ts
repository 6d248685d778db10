import { formatCount } from '../../plural.js';
import type { BatchEntry, MessageEntry, RejectedEntry } from '../server/entry.js';
import { copy } from './clipboard.js';
import { button, make } from './dom.js';
import { formatBytes, formatTime, titleOf, userOf } from './format.js';
import { jsonView } from './json-view.js';
import { asCode, asCurl } from './snippets.js';

type Facts = readonly (readonly [name: string, value: string])[];

/** One message: what it is, what can be copied of it, and all of it. */
export function showMessage({ message, source, bytes, receivedAt }: MessageEntry, close: () => void): Node[] {
  const type = String(message['type']);
  return [
    head(make('span', `badge ${type}`, type), titleOf(message) || type, close),
    facts([
      ['User', userOf(message)],
      ['Received', formatTime(receivedAt)],
      ['Source', source],
      ['Size', formatBytes(bytes)],
    ]),
    make(
      'div',
      'copies',
      button('Copy JSON', 'quiet framed', () => copy(JSON.stringify(message, null, 2), 'JSON')),
      button('Copy as cURL', 'quiet framed', () => copy(asCurl(message, location.origin), 'cURL command')),
      button('Copy as code', 'quiet framed', () => copy(asCode(message), 'Code')),
    ),
    jsonView(message),
  ];
}

/** One rejected message: why, and the text as it came. */
export function showRejected(entry: RejectedEntry, close: () => void): Node[] {
  const { code, reason, receivedAt, source, client, raw } = entry;
  return [
    head(make('span', 'badge bad', 'rejected'), code, close),
    make('p', 'reason', reason),
    facts([
      ['Received', formatTime(receivedAt)],
      ['Source', source || 'unknown'],
      ['Client', client],
    ]),
    make(
      'div',
      'copies',
      button('Copy text', 'quiet framed', () => copy(raw, 'Text')),
    ),
    rawView(raw),
  ];
}

/** One request. */
export function showBatch(entry: BatchEntry, close: () => void): Node[] {
  const { status, path, receivedAt, source, client, messages, rejected, duplicates, bytes, wireBytes, attempt } = entry;
  return [
    head(make('span', `badge ${status < 300 ? 'good' : 'bad'}`, String(status)), path, close),
    facts([
      ['Client', client || 'unknown'],
      ['Source', source || 'unknown'],
      ['Received', formatTime(receivedAt)],
      ['Messages', formatCount(messages)],
      ['Rejected', formatCount(rejected)],
      ['Seen before', formatCount(duplicates)],
      ['Body', formatBytes(bytes)],
      ['On the wire', formatBytes(wireBytes)],
      ['Attempt', String(attempt)],
    ]),
  ];
}

export function head(badge: HTMLElement, title: string, close: () => void): HTMLElement {
  const shut = button('', 'quiet icon', close);
  shut.setAttribute('aria-label', 'Close');
  shut.append(cross());
  return make('header', '', make('div', 'line', badge, shut), make('h2', '', title));
}

function cross(): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', 'm4 4 8 8M12 4l-8 8');
  svg.append(path);
  return svg;
}

export function facts(pairs: Facts): HTMLElement {
  const known = pairs.filter(([, value]) => value !== '');
  return make('dl', 'facts', ...known.map(([name, value]) => fact(name, value)));
}

export const fact = (name: string, value: Node | string): HTMLElement =>
  make('div', '', make('dt', '', name), make('dd', '', value));

function rawView(raw: string): HTMLElement {
  if (raw === '') return make('p', 'nothing', 'The body could not be read.');
  const parsed = parse(raw);
  if (parsed !== undefined) return jsonView(parsed);
  const view = make('pre', 'json', raw);
  view.tabIndex = 0;
  return view;
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
