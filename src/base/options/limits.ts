/**
 * The largest message as JSON in UTF-8: 32 KB, counted in thousands of bytes. Source: the protocol's limit on a single call, at
 * which collectors reject a message.
 */
export const MAX_MESSAGE_BYTES = 32_000;

/**
 * The largest message that a collector accepts. It counts in units of 1,024 bytes, so that it accepts whatever a client counts as
 * 32 KB.
 */
export const MAX_TAKEN_MESSAGE_BYTES = 32_768;

/**
 * The largest request body before compression, including the envelope and commas: 500 KB, counted in thousands. Source: the
 * protocol's limit on a batch, at which collectors reject the request.
 */
export const MAX_BATCH_BYTES = 500_000;

/** The largest body that a collector accepts, once it is decoded; counted in units of 1,024 bytes for the same reason. */
export const MAX_TAKEN_BODY_BYTES = 512_000;

/**
 * The largest event as its endpoint receives it: 64 KB, counted in units of 1,024 bytes. It is a receiver's default limit, so a
 * collector and a destination refuse whatever would become larger.
 */
export const MAX_EVENT_BYTES = 65_536;

/** The longest `messageId` in UTF-16 code units. Source: the protocol; collectors index this column at that width. */
export const MAX_MESSAGE_ID_LENGTH = 100;

/** The longest user id in UTF-8 bytes, where the user may later have to be deleted or listed. */
export const MAX_USER_ID_BYTES = 1_000;

/**
 * The most levels of objects and arrays in one message, counting the message itself as the first. JSON.stringify fails at some
 * thousands of levels, depending on the free stack, and parsers have limits of their own; Jackson's is this one.
 */
export const MAX_DEPTH = 1_000;

/**
 * The most bytes in the bodies of all requests together that outlive the page that sent them (`keepalive`). Source: the Fetch
 * standard, HTTP-network-or-cache fetch.
 */
export const MAX_OUTLIVING_BYTES = 65_536;
