import type { Auth } from "../auth.ts";
import { messageOf } from "../core/base/fault.ts";
import type { GateLog } from "./server-log.ts";
import type { Settings } from "./settings/settings.ts";

/**
 * Reads templates and logo again. Files that cannot be used are logged, and the old ones stay in
 * use. Certificate files need no signal: they are read again when they change.
 */
export function reloadPages(
  { pagesDir, logoFile, logoFileDark }: Settings,
  auth: Pick<Auth, "reloadPages">,
  log: GateLog,
): void {
  const files = { PAGES_DIR: pagesDir, LOGO_FILE: logoFile, LOGO_FILE_DARK: logoFileDark };
  const named = Object.entries(files).flatMap(([name, file]) => (file ? [name] : []));
  try {
    auth.reloadPages();
    const what = named.join(", ") || "no files, as neither PAGES_DIR nor LOGO_FILE is set";
    log.info({}, `reloaded: ${what}; changed settings take effect after a restart`);
  } catch (error) {
    log.error(
      { reason: messageOf(error) },
      `reload failed, the old files stay in use: ${named.join(", ")}`,
    );
  }
}
