/** The element of that id, which must be there and of that kind. */
export function byId<E extends HTMLElement>(id: string, kind: new () => E): E {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`There is no ${kind.name} #${id}`);
}

/** Makes an element. What it holds is text, whatever it says, or other elements. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

/** Sets attributes of an element, and returns it. */
export function withAttributes<E extends Element>(element: E, attributes: Readonly<Record<string, string>>): E {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

export function button(text: string, className: string, act: () => void): HTMLButtonElement {
  const element = make('button', className, text);
  element.type = 'button';
  element.addEventListener('click', act);
  return element;
}

/** Changes the text only where it differs, so that nothing is drawn in vain. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
