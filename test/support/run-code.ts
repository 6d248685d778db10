import ts from 'typescript';

const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => {}).constructor;

/**
 * Runs a program of a page in this process, to its end.
 * | @param imported returns what the program imports under that id
 * @returns what the program exports
 */
// biome-ignore lint/suspicious/noExplicitAny: what a program exports is checked by using it.
export async function runCode(code: string, imported: (id: string) => unknown): Promise<any> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023, esModuleInterop: true },
  });
  const exported = {};
  await new AsyncFunction('require', 'exports', outputText)(imported, exported);
  return exported;
}
