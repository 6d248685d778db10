import { signal } from '@preact/signals';
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { visible } from './visible.js';

/** Why nothing can be changed, for example because the token may only read; empty if everything can be changed. */
export const whyUnchangeable = signal('');

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'class' | 'onClick' | 'title' | 'type'> {
  readonly look?: string;
  /** True for a button that changes something, which not every user may do. */
  readonly isChange?: boolean;
  onClick(): unknown;
}

export const Button = ({ look = 'quiet framed', isChange = false, disabled, ...rest }: ButtonProps) => {
  const why = isChange ? whyUnchangeable.value : '';
  return <button {...rest} type="button" class={look} disabled={disabled || why !== ''} title={why || undefined} />;
};

export const CloseButton = ({ onClick, id = '' }: { onClick(): void; id?: string }) => (
  <Button id={id} look="quiet icon" aria-label="Close" onClick={onClick}>
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="m4 4 8 8M12 4l-8 8" />
    </svg>
  </Button>
);

export type Fact = readonly [name: string, value: ComponentChildren, title?: string | undefined];

/** Lists names with their values. Pairs without a value are left out. */
export const Facts = ({ of: pairs, look = 'facts' }: { of: readonly Fact[]; look?: string }) => (
  <dl class={look}>
    {pairs.map(([name, value, title]) =>
      value === '' ? null : (
        <div key={name} class={isLong(value) ? 'wide' : undefined}>
          <dt>{visible(name)}</dt>
          <dd title={title}>{typeof value === 'string' ? visible(value) : value}</dd>
        </div>
      ),
    )}
  </dl>
);

/** A value with more characters than this gets its own line, because it would wrap into many short lines beside others. */
const LONG = 48;

const isLong = (value: ComponentChildren): boolean => typeof value === 'string' && value.length > LONG;

/** A part of an open item under its title, with buttons beside the title. */
export const Section = (props: { title: string; beside?: ComponentChildren; children: ComponentChildren }) => (
  <section aria-label={props.title}>
    <div class="line apart">
      <h3>{props.title}</h3>
      {props.beside}
    </div>
    {props.children}
  </section>
);

export const Framed = (props: { look?: string; id?: string | undefined; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach its end.
  <pre class={`framed-text ${props.look ?? ''}`} id={props.id} tabIndex={0}>
    {props.children}
  </pre>
);

/** Shown instead of an empty list. It explains what the list would contain and how to get there. */
export const Empty = (props: { title: string; text?: string; children?: ComponentChildren; id?: string }) => (
  <div class="empty" id={props.id}>
    <h2>{props.title}</h2>
    {props.text !== undefined && <p>{props.text}</p>}
    {props.children}
  </div>
);

/** Shows the progress of something. @param of undefined while the total is unknown */
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
    <p class="note">{props.children}</p>
  </div>
);

/** What is shown of an open item. */
export interface DetailOf {
  readonly badge: string;
  /** The style of the badge. */
  readonly look?: string;
  readonly title: string;
  /** A sentence about the state of the item. */
  readonly reason?: string;
  /** What is shown above the facts. */
  readonly above?: ComponentChildren;
  readonly facts?: readonly Fact[] | undefined;
  readonly acts?: readonly DetailAct[];
  readonly below?: ComponentChildren;
}

/** A button of an open item. */
interface DetailAct {
  readonly text: string;
  /** True if it changes something. */
  readonly isChange?: boolean;
  act(): unknown;
}

export const Detail = (props: DetailOf & { close(): void }) => (
  <>
    <header>
      <div class="bar apart">
        <span class={`badge ${props.look ?? ''}`}>{props.badge}</span>
        <CloseButton onClick={props.close} />
      </div>
      <h2>{visible(props.title)}</h2>
    </header>
    {props.reason !== undefined && <p class="reason">{visible(props.reason)}</p>}
    {props.above}
    {props.facts !== undefined && <Facts of={props.facts} />}
    {props.acts !== undefined && (
      <div class="line">
        {props.acts.map(({ text, isChange = false, act }) => (
          <Button key={text} isChange={isChange} look={`quiet framed ${isChange ? 'act' : ''}`} onClick={act}>
            {text}
          </Button>
        ))}
      </div>
    )}
    {props.below}
  </>
);
