import { readRowPages } from "../../db/read-pages.ts";
import type { App } from "../../db/records.ts";
import { toIconId } from "../../db/records.ts";
import { listColumnNames, toRecord } from "../../db/rows.ts";
import { type ColumnValue, type Row, tables, toRowValues } from "../../db/tables.ts";
import type { RowReader, Rows } from "../../db/transfer-store.ts";
import { applyFields } from "../../features/apps/app-fields.ts";
import { ICON_SCHEMES, recognizeIcon } from "../../features/apps/app-icons.ts";
import { explainFieldProblem, explainIconProblem } from "../../features/apps/explain-problem.ts";
import { MAX_SECRETS } from "../../features/apps/manage-apps.ts";
import { isObject } from "../../lib/json.ts";
import { type Hashes, listFields } from "./export-users.ts";
import {
  catchUnusable,
  type ImportFields,
  normalizeFieldName,
  parseRows,
  UnusableField,
} from "./import-record.ts";

/** A line of an export contains either a user or, in this field, an app with what belongs to it. */
export const APP_FIELD = "app";

const OWNED = ["app_secrets", "app_icons"] as const;

/** Exports all apps with their icons, and with their secrets if hashes are requested. */
export async function* exportApps(store: RowReader, hashes: Hashes): AsyncIterable<object> {
  const secrets = new Map<string, object[]>();
  if (hashes === "with") {
    for await (const page of readRowPages(store, "app_secrets")) {
      for (const row of page) {
        const { app_id: appId, ...fields } = Object.fromEntries(listFields("app_secrets", row));
        const list = secrets.get(String(appId)) ?? [];
        secrets.set(String(appId), [...list, fields]);
      }
    }
  }
  for await (const page of readRowPages(store, "apps")) {
    for (const row of page) {
      const id = String(row[0]);
      const icons = await readIcons(store, id);
      const owned = { app_secrets: secrets.get(id) ?? [], app_icons: icons };
      const shown = Object.entries(owned).filter(([, list]) => list.length > 0);
      const app = { ...Object.fromEntries(listFields("apps", row)), ...Object.fromEntries(shown) };
      yield { [APP_FIELD]: app };
    }
  }
}

/** Reads the icons of one app, since all icons may not fit into the memory. */
async function readIcons(store: RowReader, id: string): Promise<readonly object[]> {
  const ids: readonly ColumnValue[] = ICON_SCHEMES.map((scheme) => toIconId(id, scheme));
  const rows = await store.readRows("app_icons", `${id}/`, ICON_SCHEMES.length);
  return rows
    .filter(([iconId = null]) => ids.includes(iconId))
    .map((row) => Object.fromEntries(listFields("app_icons", row)));
}

/** Contains an app with its rows. */
export interface ImportedApp {
  readonly id: string;
  /** The app needs a secret and has none, since the export contained no hashes. */
  readonly lacksSecret: boolean;
  readonly rows: readonly Rows[];
}

/** Returns the app in the fields of a line, if the line contains an app. */
export function findAppFields(fields: ImportFields): ImportFields | undefined {
  const app = fields.get(APP_FIELD);
  return isObject(app) && fields.get("username") === undefined
    ? new Map(Object.entries(app).map(([name, value]) => [normalizeFieldName(name), value]))
    : undefined;
}

/**
 * Returns the app of a line, or a text that explains why there is none. The rules are those of
 * `app add`: an import must not bring a redirect URI that a browser would run.
 */
export const parseApp = (fields: ImportFields): ImportedApp | string =>
  catchUnusable(() => {
    const [row = []] = parseRows("apps", [Object.fromEntries(fields)], {});
    const app = applyFields(toApp(row), {});
    if ("kind" in app) throw new UnusableField(explainFieldProblem(app));
    const owned = OWNED.map((table) => ({
      table,
      rows: parseRows(table, fields.get(normalizeFieldName(table)), { appid: app.id }),
    }));
    const [secrets, icons] = owned.map(({ rows }) => rows);
    if ((secrets?.length ?? 0) > MAX_SECRETS)
      throw new UnusableField(`app_secrets has more than ${MAX_SECRETS} secrets`);
    for (const icon of icons ?? []) checkIcon(app.id, icon);
    return {
      id: app.id,
      lacksSecret: app.clientType === "confidential" && secrets?.length === 0,
      rows: [{ table: "apps" as const, rows: [toRowValues(tables.apps, app)] }, ...owned],
    };
  });

function toApp(row: Row): App {
  const names = listColumnNames(tables.apps);
  const values = Object.fromEntries(names.map((name, at) => [name, row[at]]));
  return toRecord(tables.apps, values as Parameters<typeof toRecord<typeof tables.apps>>[1]);
}

function checkIcon(appId: string, [id, type, body]: Row): void {
  if (!ICON_SCHEMES.some((scheme) => toIconId(appId, scheme) === id))
    throw new UnusableField("the id of an icon is not the ID of the app with /light or /dark");
  const recognized = recognizeIcon(Buffer.from(String(body), "base64"));
  if ("problem" in recognized)
    throw new UnusableField(explainIconProblem(String(id), recognized.problem));
  if (recognized.type !== type)
    throw new UnusableField("the type of an icon is not that of its image");
}
