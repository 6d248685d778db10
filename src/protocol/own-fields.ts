/** Made by .ci/messages.ts from the schemas in src/protocol/schemas.ts; do not edit. */

/** The fields that only this type has, or requires. */
export const ownFields = {
  identify: { traits: { kind: 'object', isRequired: false } },
  track: { event: { kind: 'text', isRequired: true }, properties: { kind: 'object', isRequired: false } },
  page: {
    category: { kind: 'text', isRequired: false },
    name: { kind: 'text', isRequired: false },
    properties: { kind: 'object', isRequired: false },
  },
  screen: {
    category: { kind: 'text', isRequired: false },
    name: { kind: 'text', isRequired: false },
    properties: { kind: 'object', isRequired: false },
  },
  group: { groupId: { kind: 'text', isRequired: true }, traits: { kind: 'object', isRequired: false } },
  alias: { previousId: { kind: 'text', isRequired: true }, userId: { kind: 'text', isRequired: true } },
} as const;
