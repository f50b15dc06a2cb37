import type { Auth } from "../auth.ts";
import { messageOf } from "../core/base/fault.ts";
import type { GateLog } from "./server-log.ts";
import type { Settings } from "./settings/settings.ts";

/**
 * Reads templates and logo again. Files that cannot be used are logged, and the old ones stay in
 * use. Certificate files need no signal: they are read again when they change.
 */
export function reloadPages(
  { pagesDir, logoFile }: Settings,
  auth: Pick<Auth, "reloadPages">,
  log: GateLog,
): void {
  const named = [pagesDir && "PAGES_DIR", logoFile && "LOGO_FILE"].filter(Boolean).join(", ");
  try {
    auth.reloadPages();
    const what = named || "no files, as neither PAGES_DIR nor LOGO_FILE is set";
    log.info({}, `reloaded: ${what}; changed settings take effect after a restart`);
  } catch (error) {
    log.error({ reason: messageOf(error) }, `reload failed, the old files stay in use: ${named}`);
  }
}
