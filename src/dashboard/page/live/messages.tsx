import { useLayoutEffect, useMemo } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import { MESSAGE_TYPES } from '../../../protocol/field-table.js';
import type { MessageEntry } from '../../server/entry.js';
import { formatBytes, formatTime, titleOf, userOf } from '../format-values.js';
import { queryOf, setQuery } from '../page-router.js';
import { column } from '../ui/columns.js';
import { Button } from '../ui/detail.js';
import { chips, chosenIn, text } from '../ui/filters.js';
import { JsonView } from '../ui/json-view.js';
import type { PageList } from '../ui/list.js';
import { copy } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { countsByType, logs } from './feed.js';
import { matcherOf } from './feed-filter.js';
import { FirstEvent } from './first-event.js';
import { keyOfEntry, useEntries } from './live-list.js';
import { asCode, asCurl } from './snippets.js';

const typeOf = ({ message }: MessageEntry): string => String(message['type']);

const filters = [
  chips('types', 'Type', Object.fromEntries(MESSAGE_TYPES.map((type) => [type, type])), true),
  text('text', 'Filter by text', { placeholder: 'Any text' }),
  text('user', 'Filter by user', { placeholder: 'User' }),
];

export const messages: PageList<MessageEntry> = {
  ...{ name: 'messages', label: 'Messages, newest first', noun: 'Message', keyOf: keyOfEntry, filters },
  none: ['', ''],
  useRows() {
    const values = filters.map(({ field }) => queryOf(field));
    const [, text = '', user = ''] = values;
    const rows = useEntries(logs.message);
    const items = useMemo(
      () => rows.items.filter(matcherOf({ text, user, types: new Set(chosenIn('types')) })),
      [rows.items, ...values],
    );
    useLayoutEffect(() => document.getElementById('list-messages')?.scrollTo(0, 0), values);
    return {
      ...{ ...rows, items },
      counts: Object.fromEntries(MESSAGE_TYPES.map((type) => [type, countsByType.get(type) ?? 0])),
      above: queryOf('source') !== '' && <OneSource name={queryOf('source')} />,
      whyNone: `${formatCount(rows.items.length)} hidden by the filters.`,
      none: rows.items.length === 0 ? <FirstEvent /> : undefined,
    };
  },
  columns: [
    column('time mono', 'Time', ['92px'], ({ receivedAt }) => formatTime(receivedAt)),
    column('badge', 'Type', ['74px'], typeOf, { look: typeOf }),
    column('title', 'Event or name', ['minmax(120px, 1fr)', 'minmax(100px, 1fr)'], ({ message }) => titleOf(message)),
    column('user mono', 'User', ['minmax(80px, 190px)', 'minmax(60px, 130px)'], ({ message }) => userOf(message)),
    column('source', 'Source', ['84px', ''], ({ source }) => source),
    column('size end', 'Size', ['64px', ''], ({ bytes }) => formatBytes(bytes)),
  ],
  useDetail(entry) {
    const { message, source, bytes, receivedAt } = entry;
    const type = typeOf(entry);
    return {
      ...{ badge: type, look: type, title: titleOf(message) || type },
      facts: [
        ['User', userOf(message)],
        ['Received', formatTime(receivedAt), receivedAt],
        ['Source', source],
        ['Size', formatBytes(bytes)],
      ],
      acts: [
        { text: 'Copy JSON', act: () => copy(JSON.stringify(message, null, 2), 'JSON') },
        { text: 'Copy as cURL', act: () => copy(asCurl(message, location.origin), 'cURL command') },
        { text: 'Copy as code', act: () => copy(asCode(message), 'Code') },
      ],
      below: <JsonView value={message} />,
    };
  },
};

const OneSource = ({ name }: { name: string }) => (
  <p class="strip line">
    <span>Messages of {visible(name)} alone.</span>
    <Button look="link" onClick={() => setQuery({ source: '' })}>
      Show all sources
    </Button>
  </p>
);
