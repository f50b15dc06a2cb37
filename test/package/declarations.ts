/** The declarations that `tsc` writes for the package, and what its entry points export of them. */
import { execFile } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./installed.ts";

const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));

/** The entry points of the package: what `import` names, and the path in `dist` without extension. */
export const entries: ReadonlyMap<string, string> = new Map(
  Object.entries<{ readonly types?: string }>(manifest.exports).flatMap(([name, { types }]) => {
    const entry = [`latchkey${name.slice(1)}`, types?.slice("./dist/".length, -5) ?? ""] as const;
    return types === undefined ? [] : [entry];
  }),
);

/** A declaration of one file. */
export interface Declaration {
  readonly file: string;
  readonly name: string;
  /** Its comment and its type. */
  readonly text: string;
}

interface Module {
  readonly declared: ReadonlyMap<string, Declaration>;
  /** Where names come from that other files declare. */
  readonly taken: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  readonly exported: readonly string[];
  /** The files that it exports as a whole. */
  readonly whole: readonly string[];
}

const TAKING = /^(import|export)(?: type)? \{([^}]*)\} from "(\.[^"]*)\.ts";$/gm;
const DECLARING =
  /^(export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)/;

/** A statement begins in the first column. A comment belongs to the statement after it. */
function readModule(file: string, code: string): Module {
  const declared = new Map<string, Declaration>();
  const exported = new Set<string>();
  let comment = "";
  for (const text of code.split(/\n(?=\/\*\*|export|import|declare|type|interface|const)/)) {
    const [, isExported, name] = DECLARING.exec(text) ?? [];
    if (name !== undefined) {
      const earlier = declared.get(name)?.text ?? "";
      declared.set(name, { file, name, text: earlier + comment + text });
      if (isExported) exported.add(name);
    }
    comment = text.startsWith("/**") ? `${text}\n` : "";
  }
  const whole = [...code.matchAll(/^export type \* from "(.*)\.ts";$/gm)].map(([, path = ""]) =>
    normalize(join(dirname(file), path)),
  );
  const taken = new Map<string, { file: string; name: string }>();
  for (const [, kind, names = "", path = ""] of code.matchAll(TAKING)) {
    for (const one of names.split(",")) {
      const [name = "", as = name] = one
        .trim()
        .replace(/^type /, "")
        .split(" as ");
      taken.set(as, { file: normalize(join(dirname(file), path)), name });
      if (kind === "export") exported.add(as);
    }
  }
  for (const [, names = ""] of code.matchAll(/^export type \{([^}]*)\};$/gm)) {
    for (const name of names.split(",")) exported.add(name.trim());
  }
  return { declared, taken, exported: [...exported], whole };
}

interface Declarations {
  /** What an entry point exports. */
  exportsOf(entry: string): readonly Declaration[];
  /** What all of them export. */
  readonly exported: readonly Declaration[];
  /** What a name in a file refers to, if the package declares it. */
  declarationOf(file: string, name: string): Declaration | undefined;
}

/** Writes the declarations of `src` into a folder, and reads them. */
export async function readDeclarations(folder: string): Promise<Declarations> {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", folder];
  await promisify(execFile)(process.execPath, [tsc, ...options], { cwd: ROOT });
  const modules = new Map<string, Module>();
  for await (const path of glob("**/*.d.ts", { cwd: folder })) {
    const file = path.slice(0, -".d.ts".length);
    modules.set(file, readModule(file, await readFile(join(folder, path), "utf8")));
  }

  function declarationOf(file: string, name: string): Declaration | undefined {
    const { declared, taken } = modules.get(file) ?? {};
    const from = taken?.get(name);
    return declared?.get(name) ?? (from && declarationOf(from.file, from.name));
  }

  const exportsOf = (file: string): readonly Declaration[] => {
    const { exported: names = [], whole = [] } = modules.get(file) ?? {};
    return [
      ...names.flatMap((name) => declarationOf(file, name) ?? []),
      ...whole.flatMap(exportsOf),
    ];
  };
  const exported = [...entries.values()].flatMap(exportsOf);
  return { exportsOf, exported: [...new Set(exported)], declarationOf };
}

/** The names that a declaration can refer to: those in its code, outside comments and texts. */
export const namesIn = ({ text }: Declaration): readonly string[] => [
  ...new Set(text.replaceAll(/\/\*[\s\S]*?\*\/|"[^"]*"/g, "").match(/(?<!\.)\b[A-Z]\w*\b/g)),
];
