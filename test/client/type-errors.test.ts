import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = `${root}test/client/written-by-a-user.ts`;

const CODE = `import { Analytics } from '../../src/index.js';
const analytics = new Analytics({ writeKey: 'key', endpoint: 'http://127.0.0.1:4100' });
analytics.track({ event: 'Order Completed' });
analytics.page({ name: 'Pricing' });
analytics.identify({ traits: {} });
`;

/** The compiler's errors for a user's open file, and what an editor shows for its `new`. */
let messages: string[];
let shown: string;

beforeAll(() => {
  const { options } = ts.getParsedCommandLineOfConfigFile(
    `${root}tsconfig.json`,
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: () => {},
    },
  ) as ts.ParsedCommandLine;
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === file ? ts.createSourceFile(file, CODE, version, true) : getSourceFile(name, version, ...rest);
  const program = ts.createProgram([file], { ...options, noEmit: true }, host);
  const source = program.getSourceFile(file) as ts.SourceFile;
  messages = program
    .getSemanticDiagnostics(source)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  const checker = program.getTypeChecker();
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node)) {
      shown = checker.signatureToString(checker.getResolvedSignature(node) as ts.Signature);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}, 120_000);

test('the compiler names `userId` as missing in a call without a user', () => {
  expect(messages).toHaveLength(3);
  for (const message of messages) expect(message).toMatch(/Property 'userId' is missing/);
});

test('an editor shows `AnalyticsOptions` without type parameters', () => {
  expect(shown).toContain('(options: AnalyticsOptions)');
});
