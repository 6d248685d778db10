/** Blanks alone. Only ids that begin with a blank are looked through. */
function isBlank(id: string): boolean {
  const first = id.charCodeAt(0);
  return (first <= 32 || first >= 160) && id.trim() === '';
}

/**
 * Says what a program made an id of that names nobody: text of a value that was not there, or that was no id. Undefined of every other.
 * Collectors take such ids; it is the program's mistake, which shows where the id is made.
 */
export function nobodyIn(id: string): string | undefined {
  switch (id) {
    case 'undefined':
    case 'NaN':
    case '[object Object]':
      return `the text "${id}", which is no id but what became of one that was not there`;
    case '':
      return undefined;
    default:
      return isBlank(id) ? 'blanks alone' : undefined;
  }
}
