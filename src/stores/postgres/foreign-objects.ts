import type pg from "pg";
import type { SchemaDifference } from "../inspection.ts";
import { OWN_CHANGES } from "./schema.ts";
import type { FullNames } from "./tables.ts";

interface ActingObject {
  readonly kind: string;
  readonly name: string;
  /** The body of a trigger's function. */
  readonly body: string | null;
  readonly remove: string | null;
}

/**
 * Finds a trigger, rule, policy, view or child table that acts on Latchkey's tables and is not of its
 * migrations. Reads only PostgreSQL's own tables, in a transaction with `SAFE_PATH`.
 */
export async function findForeignObject(
  client: pg.Client,
  names: FullNames,
): Promise<SchemaDifference | undefined> {
  const { rows } = await client.query<ActingObject>(ACTING_OBJECTS, [Object.values(names)]);
  const foreign = rows.find((object) => !isOfMigrations(object));
  if (foreign === undefined) return undefined;
  const { kind, name, remove } = foreign;
  // Without its own triggers, Latchkey would not notice that there is a first account.
  const isRemovable = remove !== null && !isOwnName(name);
  return {
    text: `the ${kind} ${name} is not Latchkey's`,
    remove: isRemovable ? remove : undefined,
  };
}

const OWN = OWN_CHANGES.join("\n");

const isOwnName = (trigger: string): boolean => OWN.includes(`CREATE TRIGGER ${trigger} `);

const isOfMigrations = ({ kind, name, body }: ActingObject): boolean =>
  kind === "trigger" && isOwnName(name) && OWN.includes(`AS $$${body}$$`);

const ACTING_OBJECTS = `
  WITH own AS (
    SELECT pg_class.oid, relname, relkind, each.name AS relation
    FROM unnest($1::text[]) AS each (name) JOIN pg_class ON pg_class.oid = to_regclass(each.name)
  )
  SELECT 'view' AS kind, quote_ident(relname) AS name, NULL AS body, NULL AS remove
    FROM own WHERE relkind <> 'r'
  UNION ALL SELECT 'trigger', quote_ident(tgname), prosrc,
      format('DROP TRIGGER %I ON %s', tgname, relation)
    FROM own JOIN pg_trigger ON tgrelid = own.oid JOIN pg_proc ON pg_proc.oid = tgfoid
    WHERE NOT tgisinternal
  UNION ALL SELECT 'rule', quote_ident(rulename), NULL, format('DROP RULE %I ON %s', rulename, relation)
    FROM own JOIN pg_rewrite ON ev_class = own.oid
  UNION ALL SELECT 'policy', quote_ident(polname), NULL, format('DROP POLICY %I ON %s', polname, relation)
    FROM own JOIN pg_policy ON polrelid = own.oid
  UNION ALL SELECT 'child table', inhrelid::regclass::text, NULL,
      format('ALTER TABLE %s NO INHERIT %s', inhrelid::regclass, relation)
    FROM own JOIN pg_inherits ON inhparent = own.oid`;
