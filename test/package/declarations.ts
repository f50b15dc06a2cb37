/** The declarations that `tsc` writes for the package, and what its entry points export of them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import {
  API,
  type Project,
  SymbolFlags,
  type Symbol as TypeSymbol,
} from "typescript/unstable/sync";
import { ROOT, run } from "./installed.ts";

const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));

/** The entry points of the package: what `import` names, and the path of the types in `dist`. */
const entries = Object.entries<{ readonly types?: string }>(manifest.exports).flatMap(
  ([name, { types }]) =>
    types === undefined
      ? []
      : [[`latchkey${name.slice(1)}`, types.slice("./dist/".length)] as const],
);

/** What an entry point exports. */
export interface Exported {
  readonly from: string;
  readonly name: string;
  readonly isFunction: boolean;
  /** The code of its `@example`. */
  readonly example: string | undefined;
  readonly id: TypeSymbol["id"];
  /** The types of the package that its declaration names. */
  readonly named: readonly TypeSymbol[];
}

/** Writes the declarations of `src` into a folder, and reads what the entry points export. */
export async function readExports(folder: string): Promise<readonly Exported[]> {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", folder];
  await run(ROOT, process.execPath, tsc, ...options);
  const api = new API();
  try {
    const openFiles = entries.map(([, path]) => join(folder, path));
    const [project] = api.updateSnapshot({ openFiles }).getProjects();
    if (project === undefined) throw new Error("the declarations are not read");
    return entries.flatMap(([from, path]) => exportsOf(project, folder, from, path));
  } finally {
    api.close();
  }
}

const TYPES = [
  SyntaxKind.ClassDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
];

function exportsOf(project: Project, folder: string, from: string, path: string): Exported[] {
  const { checker, program } = project;
  const declared = (symbol: TypeSymbol): TypeSymbol =>
    (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  const isOwnType = ({ declarations }: TypeSymbol): boolean =>
    declarations.some(({ kind, path: file }) => TYPES.includes(kind) && file.startsWith(folder));

  function* namedIn(node: Node): Iterable<TypeSymbol> {
    const found =
      node.kind === SyntaxKind.Identifier ? checker.getSymbolAtLocation(node) : undefined;
    if (found !== undefined && isOwnType(declared(found))) yield declared(found);
    const below: Node[] = [];
    node.forEachChild((child) => void below.push(child));
    for (const child of below) yield* namedIn(child);
  }

  const file = program.getSourceFile(join(folder, path));
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${from} has no declarations`);
  return checker
    .getExportsOfModule(module)
    .map(declared)
    .map((symbol) => {
      const nodes = symbol.declarations.flatMap((handle) => handle.resolve(project) ?? []);
      const { text } = symbol.getJsDocTags(checker).find(({ name }) => name === "example") ?? {};
      return {
        from,
        id: symbol.id,
        name: symbol.name,
        isFunction: (symbol.flags & (SymbolFlags.Function | SymbolFlags.Variable)) !== 0,
        example: /^```ts\n([\s\S]*)```$/.exec(text ?? "")?.[1],
        named: nodes.flatMap((node) => [...namedIn(node)]),
      };
    });
}
