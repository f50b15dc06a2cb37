import type { SetupTokenStore } from "../../core/setup/setup-token.ts";
import { rowOf, tables } from "../../core/tables.ts";
import { insertInto, type StatementPorts, statementsOn } from "./sql.ts";

const INSERT = insertInto("setup_tokens");

const REPLACE = `${INSERT} ON CONFLICT (id) DO UPDATE SET token = excluded.token RETURNING id`;

const rowFor = (token: string) => rowOf(tables.setup_tokens, { id: "setup", token });

/** The methods for the setup token. */
export function setupTokenOn({ ask }: Pick<StatementPorts, "ask">): SetupTokenStore {
  const tokens = statementsOn(ask, "setup_tokens", tables.setup_tokens);
  const find = async () => (await tokens.first("WHERE id == $1", ["setup"]))?.token;
  return {
    find,

    async keep(token) {
      await tokens.insert({ id: "setup", token }, "ON CONFLICT (id) DO NOTHING");
      // A setup that has removed it in between has also closed the setup.
      return (await find()) ?? token;
    },

    async replace(token) {
      await ask(REPLACE, rowFor(token));
    },

    async remove() {
      await tokens.remove("WHERE id == $1", ["setup"]);
    },
  };
}
