import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Eta } from "eta";
import { Fault, messageOf } from "../core/fault.ts";
import type { User } from "../core/store.ts";
import type { Paths } from "./paths.ts";

/** What every page gets, a replaced one too. */
export interface PageHelpers {
  readonly NeedsSetup: boolean;
  readonly HasError: boolean;
  readonly CurrentUser: User | undefined;
}

/** What a page gets besides. */
export interface PageData {
  /** `returnTo` is the page that was asked for, where the sign-in leads back to one. */
  readonly login: { readonly returnTo: string | undefined };
  readonly setup: {
    /** Whether a setup token is asked for, and the one that the link brought along. */
    readonly tokenExpected: boolean;
    readonly token: string;
    readonly offersDomain: boolean;
    readonly returnTo: string | undefined;
  };
  readonly home: Readonly<Record<never, never>>;
  readonly error: { readonly status: number; readonly message: string };
}

export type PageName = keyof PageData;

export interface Pages {
  render<Name extends PageName>(name: Name, helpers: PageHelpers, data: PageData[Name]): string;
  readonly styleSheet: string;
}

const DEFAULT_PAGES = fileURLToPath(new URL("./pages/", import.meta.url));
const STYLE_SHEET = "latchkey.css";
const TEMPLATES = ["layout", "login", "setup", "home", "error"] as const;

/** Pages that an application writes itself: each gets all that the template would get. */
export type PageFunctions = {
  readonly [Name in PageName]?: (page: PageHelpers & PageData[Name] & PageFrame) => string;
};

/** What every page needs to find its way. */
export interface PageFrame {
  readonly basePath: string;
  /** `null` where there is none. */
  readonly homePath: string | null;
  readonly styleSheetUrl: string;
}

export interface PageSources {
  readonly folder: string | undefined;
  readonly functions: PageFunctions;
}

/** Reads and compiles every page at once: a page that cannot be used stops the start. */
export function loadPages(paths: Paths, { folder: replacements, functions }: PageSources): Pages {
  if (replacements !== undefined) refuseUnknownFiles(replacements);
  const read = (file: string): { path: string; text: string } => {
    const replaced = replacements === undefined ? undefined : join(replacements, file);
    const path =
      replaced !== undefined && existsSync(replaced) ? replaced : join(DEFAULT_PAGES, file);
    try {
      return { path, text: readFileSync(path, "utf8") };
    } catch (error) {
      throw new Fault("page_broken", `${path}: ${messageOf(error)}`, { cause: error });
    }
  };

  const eta = new Eta({ autoEscape: true, cache: true });
  for (const name of TEMPLATES) {
    const { path, text } = read(`${name}.eta`);
    try {
      eta.loadTemplate(`@${name}`, eta.compile(text));
    } catch (error) {
      throw new Fault("page_broken", `${path}: ${firstLines(error)}`, { cause: error });
    }
  }

  const styleSheet = read(STYLE_SHEET).text;
  const frame: PageFrame = {
    basePath: paths.base,
    homePath: paths.home,
    styleSheetUrl: `${paths.styleSheet}?v=${shortDigest(styleSheet)}`,
  };
  return {
    styleSheet,
    render: (name, helpers, data) => {
      const page = { ...frame, ...helpers, ...data };
      return functions[name]?.(page) ?? eta.render(`@${name}`, page);
    },
  };
}

/** A misspelt name would leave the default page in place without a word. */
function refuseUnknownFiles(folder: string): void {
  const known = [...TEMPLATES.map((name) => `${name}.eta`), STYLE_SHEET];
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch (error) {
    throw new Fault("pages_unreadable", `the pages folder ${folder} cannot be read`, {
      cause: error,
    });
  }
  for (const file of files) {
    if (file.endsWith(".eta") && !known.includes(file)) {
      throw new Fault(
        "page_unknown",
        `${join(folder, file)} replaces no page: the names are ${known.join(", ")}`,
      );
    }
  }
}

/** What is wrong, and where; then Eta goes on with the code that it made of the template. */
function firstLines(error: unknown): string {
  const lines = messageOf(error)
    .split("\n")
    .map((line) => line.trim().replace(/:$/, ""));
  return lines
    .filter((line) => line !== "")
    .slice(0, 2)
    .join(": ");
}

function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}
