/** The first bytes of a segment, by which a reader knows one of another version. */
export const SEGMENT_HEAD = 'eventferry journal 1\n';

/** Where the head says from which sequence number on its records count. */
export const SEQUENCE_AT = 24;

export const HEAD_BYTES = 32;

export const SEGMENT_NAME = /^segment-\d{6,}$/;

export const segmentName = (number: number): string => `segment-${String(number).padStart(6, '0')}`;
