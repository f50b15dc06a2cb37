import { messageOf } from "../core/base/fault.ts";
import { openSite } from "../web/pages/site.ts";
import { pathsUnder } from "../web/paths.ts";
import { type Check, checkOf, ok, problem } from "./check.ts";

/** The gate does not start with a template that it cannot use. */
export const checkPages: Check = checkOf("pages", ["pagesDir"], async ({ settings }) => {
  const { pagesDir: dir } = settings;
  if (dir === undefined) return undefined;
  const unset = { accentColor: undefined, logoFile: undefined, logoFileDark: undefined };
  const pages = { ...unset, appName: "Latchkey", dir, functions: {} };
  try {
    openSite(pathsUnder(""), { pages, signIn: { passkeys: true }, standalone: true });
    return ok(`the templates in ${dir} can be used`);
  } catch (error) {
    return problem(
      `a template in ${dir} cannot be used, so the gate does not start: ${messageOf(error)}`,
      "correct it, or remove it from PAGES_DIR, which brings back the page of Latchkey",
    );
  }
});
