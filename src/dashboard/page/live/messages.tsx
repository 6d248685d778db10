import { useLayoutEffect, useMemo } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import { MESSAGE_TYPES } from '../../../protocol/field-table.js';
import type { MessageEntry } from '../../server/entry.js';
import { formatBytes, formatTime, titleOf, userOf } from '../format-values.js';
import { queryOf, setQuery } from '../page-router.js';
import { type Column, column } from '../ui/columns.js';
import { Button, Facts, Head } from '../ui/detail.js';
import { Chips, FilterField, NoMatch } from '../ui/filter-field.js';
import { JsonView } from '../ui/json-view.js';
import { copy } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { countsByType, drawn, filterMessages, logs } from './feed.js';
import { FirstEvent } from './first-event.js';
import { LiveList } from './live-list.js';
import { asCode, asCurl } from './snippets.js';

const typeOf = ({ message }: MessageEntry): string => String(message['type']);

const columns: readonly Column<MessageEntry>[] = [
  column('time mono', 'Time', ['92px'], ({ receivedAt }) => formatTime(receivedAt)),
  column('badge', 'Type', ['74px'], typeOf, { look: typeOf }),
  column('title', 'Event or name', ['minmax(120px, 1fr)', 'minmax(100px, 1fr)'], ({ message }) => titleOf(message)),
  column('user mono', 'User', ['minmax(80px, 190px)', 'minmax(60px, 130px)'], ({ message }) => userOf(message)),
  column('source', 'Source', ['84px', ''], ({ source }) => source),
  column('size end', 'Size', ['64px', ''], ({ bytes }) => formatBytes(bytes)),
];

/** Lists the messages, newest first, below their filters. */
export function Messages({ isService }: { isService: boolean }) {
  const [text, user, types] = [queryOf('text'), queryOf('user'), queryOf('types')];
  const chosen = types === '' ? [] : types.split(',');
  useMemo(() => filterMessages({ text, user, types: new Set(chosen) }), [text, user, types]);
  useLayoutEffect(() => {
    const list = document.getElementById('list-messages');
    if (list !== null) list.scrollTop = 0;
  }, [text, user, types]);
  drawn.value;
  const isAllHidden = logs.message.size > 0 && logs.message.visible.length === 0;
  return (
    <>
      {queryOf('source') !== '' && (
        <p class="strip line">
          <span>Messages of {visible(queryOf('source'))} alone.</span>
          <Button look="link" onClick={() => setQuery({ source: '' })}>
            Show all sources
          </Button>
        </p>
      )}
      <div class="strip filters line apart">
        <Chips
          label="Filter by type"
          of={MESSAGE_TYPES.map((type) => [type, type, countsByType.get(type) ?? 0])}
          chosen={chosen}
          onToggle={(type) => {
            const others = chosen.filter((each) => each !== type);
            setQuery({ types: (chosen.includes(type) ? others : [...others, type]).join(',') });
          }}
        />
        <div class="bar">
          <FilterField query="text" label="Filter by text" placeholder="Any text" />
          <FilterField query="user" label="Filter by user" placeholder="User" />
        </div>
      </div>
      <LiveList
        name="messages"
        label="Messages, newest first"
        detailLabel="Message"
        columns={columns}
        log={logs.message}
        detail={showMessage}
        hasFilter
        empty={
          isAllHidden ? (
            <NoMatch title="No message matches" fields={['text', 'user', 'types']}>
              {formatCount(logs.message.size)} hidden by the filters.
            </NoMatch>
          ) : (
            <FirstEvent isService={isService} />
          )
        }
      />
    </>
  );
}

const showMessage = ({ message, source, bytes, receivedAt }: MessageEntry, close: () => void) => {
  const type = String(message['type']);
  return (
    <>
      <Head badge={type} look={type} title={titleOf(message) || type} onClose={close} />
      <Facts
        of={[
          ['User', userOf(message)],
          ['Received', formatTime(receivedAt), receivedAt],
          ['Source', source],
          ['Size', formatBytes(bytes)],
        ]}
      />
      <div class="sides line">
        <Button onClick={() => copy(JSON.stringify(message, null, 2), 'JSON')}>Copy JSON</Button>
        <Button onClick={() => copy(asCurl(message, location.origin), 'cURL command')}>Copy as cURL</Button>
        <Button onClick={() => copy(asCode(message), 'Code')}>Copy as code</Button>
      </div>
      <JsonView value={message} />
    </>
  );
};
