import { expectTypeOf, test } from 'vitest';
import type { ReceiverOptions, WebhookEvent, WebhookEventType } from '../../src/webhooks/index.js';

// `tsc -p .` checks these; running them only shows that they exist.
const narrow = (event: WebhookEvent): void => {
  switch (event.type) {
    case 'track':
      expectTypeOf(event.event).toEqualTypeOf<string>();
      expectTypeOf(event.properties).toEqualTypeOf<Record<string, unknown> | null | undefined>();
      expectTypeOf(event.userId).toEqualTypeOf<string | null | undefined>();
      expectTypeOf(event.version).toEqualTypeOf<1>();
      break;
    case 'alias':
      expectTypeOf(event.userId).toEqualTypeOf<string>();
      expectTypeOf(event.previousId).toEqualTypeOf<string>();
      break;
    case 'group':
      expectTypeOf(event.groupId).toEqualTypeOf<string>();
      break;
    case 'delete':
      expectTypeOf(event).toEqualTypeOf<{ type: 'delete'; userId: string; timestamp: string }>();
      break;
    case 'page':
      expectTypeOf(event.properties?.url).toEqualTypeOf<string | null | undefined>();
      break;
    case 'identify':
    case 'screen':
      expectTypeOf(event.messageId).toEqualTypeOf<string>();
      break;
    default:
      expectTypeOf(event).toEqualTypeOf<never>();
  }
};

test('the type of an event narrows it, and the list of types is complete', () => {
  expectTypeOf(narrow).parameter(0).toEqualTypeOf<WebhookEvent>();
  expectTypeOf<WebhookEventType>().toEqualTypeOf<
    'page' | 'screen' | 'identify' | 'track' | 'alias' | 'group' | 'delete'
  >();
});

test('the types allow a secret straight from an environment variable', () => {
  expectTypeOf<string | undefined>().toExtend<ReceiverOptions['secrets']>();
});

test('the types allow asynchronous handlers', () => {
  expectTypeOf<(event: WebhookEvent) => Promise<void>>().toExtend<ReceiverOptions['onEvent']>();
});
