import type { ComponentChildren } from 'preact';
import { visible } from './visible.js';

/** The top of what is open: a badge, a title, and the way out. */
export function Head(props: { badge: string; look: string; title: string; onClose(): void }) {
  const { badge, look, title, onClose } = props;
  return (
    <header>
      <div class="line">
        <span class={`badge ${look}`}>{badge}</span>
        <CloseButton onClick={onClose} />
      </div>
      <h2>{visible(title)}</h2>
    </header>
  );
}

export const CloseButton = ({ onClick, id }: { onClick(): void; id?: string }) => (
  <button type="button" id={id} class="quiet icon" aria-label="Close" onClick={onClick}>
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="m4 4 8 8M12 4l-8 8" />
    </svg>
  </button>
);

type Pair = readonly [name: string, value: ComponentChildren, title?: string | undefined];

/** Names with values; what has no value is left out. */
export const Facts = ({ of: pairs }: { of: readonly Pair[] }) => (
  <dl class="facts">
    {pairs.map(([name, value, title]) =>
      value === '' ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={title}>{typeof value === 'string' ? visible(value) : value}</dd>
        </div>
      ),
    )}
  </dl>
);

/** Shown in place of an empty list: what it would hold, and how to come by it. */
export const Empty = (props: {
  title: string;
  children?: ComponentChildren;
  id?: string;
  scene?: ComponentChildren;
}) => (
  <div class="empty" id={props.id}>
    {props.scene}
    <h2>{props.title}</h2>
    {props.children}
  </div>
);

/** A button that opens nothing and sends nothing. */
export const Button = (props: {
  onClick(): void;
  children: ComponentChildren;
  look?: string;
  disabled?: boolean;
  pressed?: boolean;
  label?: string | undefined;
  id?: string;
  title?: string;
}) => (
  <button
    type="button"
    id={props.id}
    class={props.look ?? 'quiet framed'}
    disabled={props.disabled}
    aria-pressed={props.pressed}
    aria-label={props.label}
    title={props.title}
    onClick={props.onClick}
  >
    {props.children}
  </button>
);

/** A table of figures under these headings, of which some end with their column. */
export const Figures = (props: {
  headings: readonly string[];
  ending?: readonly string[];
  children: ComponentChildren;
}) => (
  <table class="figures">
    <thead>
      <tr>
        {props.headings.map((heading) => (
          <th key={heading} scope="col" class={props.ending?.includes(heading) ? 'end' : undefined}>
            {heading}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{props.children}</tbody>
  </table>
);

/** How far something is. @param of undefined while the whole is unknown */
export const Progress = (props: {
  label: string;
  done: number;
  of: number | undefined;
  children: ComponentChildren;
}) => (
  <div class="progress">
    <progress
      aria-label={props.label}
      {...(props.of !== undefined && { max: Math.max(1, props.of), value: props.of === 0 ? 1 : props.done })}
    />
    <p class="load">{props.children}</p>
  </div>
);
