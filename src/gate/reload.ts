import type { Auth } from "../auth.ts";
import { messageOf } from "../core/base/fault.ts";
import type { Certificates } from "./https/certificate-source.ts";
import type { GateLog } from "./server-log.ts";
import type { Settings } from "./settings/settings.ts";

interface FileGroup {
  /** The settings that name the files. */
  readonly settings: readonly string[];
  /** Replaces all of the group, or rejects and replaces nothing. */
  replace(): Promise<void>;
}

/** The files that the gate keeps in memory. */
function fileGroups(
  { pagesDir, logoFile }: Settings,
  auth: Pick<Auth, "reloadPages">,
  certificates: Certificates | undefined,
): readonly FileGroup[] {
  const pages = [pagesDir && "PAGES_DIR", logoFile && "LOGO_FILE"].filter(
    (one) => one !== undefined,
  );
  const groups: FileGroup[] = [];
  if (pages.length > 0) groups.push({ settings: pages, replace: async () => auth.reloadPages() });
  const reload = certificates?.reload;
  if (reload) groups.push({ settings: ["TLS_CERT_FILE", "TLS_KEY_FILE"], replace: reload });
  return groups;
}

/**
 * Returns what reads the files again that the settings name. It never rejects: files that cannot be
 * used are logged and the old ones kept. Calls during a run share the next one.
 */
export function createReload(
  settings: Settings,
  auth: Pick<Auth, "reloadPages">,
  certificates: Certificates | undefined,
  log: GateLog,
): () => Promise<void> {
  const groups = fileGroups(settings, auth, certificates);

  async function reload(): Promise<void> {
    const read: string[] = [];
    for (const group of groups) {
      const names = group.settings.join(", ");
      try {
        await group.replace();
        read.push(names);
      } catch (error) {
        log.error(
          { reason: messageOf(error) },
          `reload failed, the old files stay in use: ${names}`,
        );
      }
    }
    if (read.length === 0 && groups.length > 0) return;
    const what = read.join(", ") || "no files, as no setting names any";
    log.info({}, `reloaded: ${what}; changed settings take effect after a restart`);
  }

  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running = running.then(() => {
      next = undefined;
      return reload();
    });
    return next;
  };
}
