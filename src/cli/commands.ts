import type { Command } from "./command.ts";

/** Loaded on its own: what one command needs, the others do not wait for. */
export interface CommandEntry {
  readonly name: string;
  load(): Promise<Command>;
}

/** In the order of the help. */
export const commands: readonly CommandEntry[] = [
  { name: "serve", load: async () => (await import("./serve.ts")).serveCommand },
  { name: "log", load: async () => (await import("./log.ts")).logCommand },
  { name: "setup-link", load: async () => (await import("./setup-link.ts")).setupLinkCommand },
  { name: "doctor", load: async () => (await import("./doctor.ts")).doctorCommand },
  { name: "secret", load: async () => (await import("./secret.ts")).secretCommand },
  { name: "user list", load: async () => (await import("./user/list.ts")).userListCommand },
  { name: "user add", load: async () => (await import("./user/add.ts")).userAddCommand },
  {
    name: "user password",
    load: async () => (await import("./user/password.ts")).userPasswordCommand,
  },
  { name: "user rename", load: async () => (await import("./user/rename.ts")).userRenameCommand },
  { name: "user remove", load: async () => (await import("./user/remove.ts")).userRemoveCommand },
  {
    name: "user sign-out",
    load: async () => (await import("./user/sign-out.ts")).userSignOutCommand,
  },
  { name: "copy", load: async () => (await import("./transfer/copy.ts")).copyCommand },
  { name: "import", load: async () => (await import("./transfer/import.ts")).importCommand },
  { name: "export", load: async () => (await import("./transfer/export.ts")).exportCommand },
  { name: "backup", load: async () => (await import("./transfer/backup.ts")).backupCommand },
  { name: "restore", load: async () => (await import("./transfer/restore.ts")).restoreCommand },
  { name: "domain add", load: async () => (await import("./domain/add.ts")).domainAddCommand },
  {
    name: "domain status",
    load: async () => (await import("./domain/status.ts")).domainStatusCommand,
  },
  {
    name: "domain remove",
    load: async () => (await import("./domain/remove.ts")).domainRemoveCommand,
  },
  { name: "pages eject", load: async () => (await import("./pages-eject.ts")).pagesEjectCommand },
  { name: "completion", load: async () => (await import("./completion.ts")).completionCommand },
];
