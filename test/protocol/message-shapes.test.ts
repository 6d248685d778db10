import { expectTypeOf, test } from 'vitest';
import type { ReceivedMessage } from '../../src/collector/received-message.js';
import type { MessageTypeName } from '../../src/protocol/calls.js';
import type { Delivered, SentField, SentMessage } from '../../src/protocol/message-shapes.js';
import type { PageProperties } from '../../src/protocol/page-properties.js';
import type { WebhookEventType } from '../../src/protocol/webhook-event.js';

test('a message has the own fields of its call, without the alternative name of `properties`', () => {
  expectTypeOf<SentField<'track'>>().toEqualTypeOf<'event' | 'properties'>();
  expectTypeOf<SentField<'page'>>().toEqualTypeOf<'category' | 'name' | 'properties'>();
  expectTypeOf<SentField<'alias'>>().toEqualTypeOf<'previousId' | 'userId'>();
});

test('the fields that a call requires are required in a message', () => {
  expectTypeOf<SentMessage<'alias'>['userId']>().toEqualTypeOf<string>();
  expectTypeOf<SentMessage<'track'>['userId']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<SentMessage<'track'>['event']>().toEqualTypeOf<string>();
});

test('an object in a message is a plain record, and the properties of a page have their known fields', () => {
  expectTypeOf<SentMessage<'track'>['properties']>().toEqualTypeOf<Record<string, unknown> | undefined>();
  expectTypeOf<SentMessage<'page'>['properties']>().toEqualTypeOf<PageProperties | undefined>();
  expectTypeOf<Delivered<'page'>['properties']>().toEqualTypeOf<PageProperties | null | undefined>();
});

test('every message type is also a type of event and of received message', () => {
  expectTypeOf<WebhookEventType>().toEqualTypeOf<MessageTypeName | 'delete'>();
  expectTypeOf<ReceivedMessage['type']>().toEqualTypeOf<MessageTypeName>();
});
