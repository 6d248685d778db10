/** Patterns of texts in other formats, and how to convert them. */
const LOOKS: readonly (readonly [RegExp, string])[] = [
  [/^[1-3]\d{9}(\.\d+)?$/, 'Unix seconds as text: give `new Date(text * 1000)`'],
  [/^\d{12,14}(\.\d+)?$/, 'milliseconds as text: give `Number(text)`'],
  [/^\d{8}T\d{6}/, 'basic ISO 8601: write it with - and :'],
  [/^\/Date\(/, 'JSON of .NET: give the number in it'],
  [/\[[\w/]+\]$/, 'a ZonedDateTime of Java: leave out what is in brackets'],
  [
    /^([A-Z][a-z]{2},? )?(\d{1,2} [A-Z][a-z]{2}|[A-Z][a-z]{2} \d{1,2}),? \d{4} \d/,
    'RFC 2822, or the text of a Date: give `new Date(text)`',
  ],
];

/** The members that identify time objects of other libraries, and how to convert them. */
const CONVERSIONS = {
  toJSDate: 'a DateTime of Luxon: give its `toJSDate()`',
  toDate: 'an object of Moment, Day.js or the like: give its `toDate()`',
  epochMilliseconds: 'an object of Temporal: give its `epochMilliseconds`',
};

/** Describes a time in an unsupported format, and how to convert it. */
export function lookOfTime(value: unknown): string | undefined {
  if (typeof value === 'string') return LOOKS.find(([look]) => look.test(value))?.[1];
  try {
    return Object.entries(CONVERSIONS).find(([name]) => name in Object(value))?.[1];
  } catch {
    // A proxy may throw when it is inspected.
    return undefined;
  }
}
