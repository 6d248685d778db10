/**
 * The most bytes a body may be once decoded: 500 KB, counted in 1024s. Clients count in thousands, so whatever one of them
 * calls 500 KB is taken.
 */
export const MAX_BODY_BYTES = 512_000;

/** The most bytes one message may be, as compact JSON in UTF-8: 32 KB, counted in 1024s for the same reason. */
export const MAX_MESSAGE_BYTES = 32_768;

/** More than a message grows by where its ids become text and its times are written, and where a destination adds a version. */
export const COMPLETION_BYTES = 512;

/** About what a small message takes in memory beside its text, once it is parsed, stamped and waits for its turn. */
export const MESSAGE_OVERHEAD_BYTES = 512;
