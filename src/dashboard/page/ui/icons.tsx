export const Lens = () => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <circle cx="7" cy="7" r="4" />
    <path d="m10 10 3.5 3.5" />
  </svg>
);

export const Person = () => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <circle cx="8" cy="5.5" r="2.5" />
    <path d="M3.5 13c.4-2.6 2.3-3.8 4.5-3.8s4.1 1.2 4.5 3.8" />
  </svg>
);
