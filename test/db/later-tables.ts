import { type AnyTable, type Column, tables } from "../../src/db/tables.ts";

/**
 * Adds what a later schema could to the description of the tables. Import it before everything
 * else: all other modules then find it there.
 */
const later = {
  users: { language: { kind: "text", maxBytes: 9, optional: true, since: 4 } },
  passkeys: { colour: { kind: "text", maxBytes: 9, optional: true, since: 4 } },
  log: { country: { kind: "text", maxBytes: 9, optional: true, since: 4 } },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Column>>>>;

const notes: AnyTable = {
  columns: {
    id: { kind: "text", maxBytes: 255 },
    userId: { kind: "user" },
    tags: { kind: "texts", maxBytes: 9 },
    madeAt: { kind: "time", optional: true },
  },
  indexes: ["user_id"],
  since: 4,
};

for (const [name, columns] of Object.entries(later)) {
  Object.assign(tables[name as keyof typeof later].columns, columns);
}
Object.assign(tables, { notes });
