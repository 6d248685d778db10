/**
 * The most bytes one message may be as JSON in UTF-8: 32 KB, counted in thousands.
 * Source: the protocol's limit on a single call, at which collectors reject a message.
 */
export const MAX_MESSAGE_BYTES = 32_000;

/**
 * The same where a collector takes the message: counted in 1024s, so that whatever a client calls 32 KB is taken.
 */
export const MAX_TAKEN_MESSAGE_BYTES = 32_768;

/**
 * The most bytes one request body may be before compression, envelope and commas included: 500 KB, counted in thousands.
 * Source: the protocol's limit on a batch, at which collectors reject the request.
 */
export const MAX_BATCH_BYTES = 500_000;

/** The same where a collector takes the body, once it is decoded: counted in 1024s for the same reason. */
export const MAX_TAKEN_BODY_BYTES = 512_000;

/**
 * The most bytes one event may be as its endpoint gets it: 64 KB, counted in 1024s. It is what a receiver takes unless it is
 * told otherwise, so a collector and a destination take nothing that would become larger.
 */
export const MAX_EVENT_BYTES = 65_536;

/** The longest `messageId` in UTF-16 code units. Source: the protocol; collectors index this column at that width. */
export const MAX_MESSAGE_ID_LENGTH = 100;

/** The most bytes the id of a user may have in UTF-8, where it may have to be deleted or listed later. */
export const MAX_USER_ID_BYTES = 1_000;

/**
 * The most levels of objects and arrays in one message, the message itself being the first. JSON.stringify fails at some
 * thousands, depending on what is left of the stack, and parsers stop at a number of their own: Jackson, for one, at this.
 */
export const MAX_DEPTH = 1_000;

/**
 * The most bytes that the bodies of all requests may have together that outlive the page which sent them (`keepalive`). Source: the
 * Fetch standard, HTTP-network-or-cache fetch.
 */
export const MAX_OUTLIVING_BYTES = 65_536;
