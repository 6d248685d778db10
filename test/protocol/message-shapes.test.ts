import { expectTypeOf, test } from 'vitest';
import type { ReceivedMessage } from '../../src/collector/received-message.js';
import type { MessageTypeName } from '../../src/protocol/calls.js';
import type { Delivered, Sent, SentField } from '../../src/protocol/message-shapes.js';
import type { PageProperties } from '../../src/protocol/page-properties.js';
import type { WebhookEventType } from '../../src/protocol/webhook-event.js';

test('a message has the own fields of its call, and no second name for properties', () => {
  expectTypeOf<SentField<'track'>>().toEqualTypeOf<'event' | 'properties'>();
  expectTypeOf<SentField<'page'>>().toEqualTypeOf<'category' | 'name' | 'properties'>();
  expectTypeOf<SentField<'alias'>>().toEqualTypeOf<'previousId' | 'userId'>();
});

test('what a call requires, a message has', () => {
  expectTypeOf<Sent<'alias'>['userId']>().toEqualTypeOf<string>();
  expectTypeOf<Sent<'track'>['userId']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Sent<'track'>['event']>().toEqualTypeOf<string>();
});

test('an object in a message is plain, and that of a page has its known fields', () => {
  expectTypeOf<Sent<'track'>['properties']>().toEqualTypeOf<Record<string, unknown> | undefined>();
  expectTypeOf<Sent<'page'>['properties']>().toEqualTypeOf<PageProperties | undefined>();
  expectTypeOf<Delivered<'page'>['properties']>().toEqualTypeOf<PageProperties | null | undefined>();
});

test('events and received messages have every type', () => {
  expectTypeOf<WebhookEventType>().toEqualTypeOf<MessageTypeName | 'delete'>();
  expectTypeOf<ReceivedMessage['type']>().toEqualTypeOf<MessageTypeName>();
});
