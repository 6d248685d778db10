/** `The answer was late.` A name such as `track.messageId` keeps its small letter. */
export const sentence = (text: string): string =>
  `${text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase())}.`;
