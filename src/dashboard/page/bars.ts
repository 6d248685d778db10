const SVG = 'http://www.w3.org/2000/svg';
const LEAST_BAR = 1.5;

/** Bars in an SVG, each as high as its number is beside the highest; a number of 0 is a line on the ground. */
export class Bars {
  readonly element: SVGSVGElement;
  readonly #bars: readonly SVGRectElement[];
  readonly #height: number;

  constructor(element: SVGSVGElement, count: number, { width, height }: { width: number; height: number }) {
    this.element = element;
    this.#height = height;
    const step = width / count;
    this.#bars = Array.from({ length: count }, (_, index) => rect(index * step, step - 1));
    element.append(...this.#bars);
  }

  show(counts: readonly number[]): void {
    const highest = Math.max(1, ...counts);
    for (const [index, bar] of this.#bars.entries()) {
      const count = counts[index] ?? 0;
      const height = count === 0 ? LEAST_BAR : Math.max(2 * LEAST_BAR, (count / highest) * this.#height);
      bar.setAttribute('height', String(height));
      bar.setAttribute('y', String(this.#height - height));
      bar.classList.toggle('none', count === 0);
    }
  }
}

/** An SVG of that size, in its own units, that takes the room it is given. */
export function makeSvg(className: string, { width, height }: { width: number; height: number }): SVGSVGElement {
  const element = document.createElementNS(SVG, 'svg');
  element.setAttribute('class', className);
  element.setAttribute('viewBox', `0 0 ${width} ${height}`);
  element.setAttribute('preserveAspectRatio', 'none');
  return element;
}

function rect(x: number, width: number): SVGRectElement {
  const element = document.createElementNS(SVG, 'rect');
  element.setAttribute('x', String(x));
  element.setAttribute('width', String(width));
  element.setAttribute('rx', '0.75');
  return element;
}
