import type { TestContext } from "node:test";
import type { Answer, Sending } from "../../support/client.ts";
import { valuesOf } from "../../support/database.ts";
import { elements } from "../../support/markup.ts";
import { type AtPeople, atPeople } from "../people/at-people.ts";

export const APPS = "/account/apps";
export const CALLBACK = "https://photos.example.org/callback";
export const PHOTOS = { name: "Photos", redirects: CALLBACK } as const;

type Form = Readonly<Record<string, string>>;

/** A gate whose owner is an administrator, with the requests of one. */
export interface AtApps extends Omit<AtPeople, "act"> {
  /** Posts a form about apps. */
  act(action: string, form: Form, sending?: Sending): Promise<Answer>;
  /** All apps as they are stored, by their IDs. */
  stored(): Readonly<Record<string, unknown>>;
  countSecrets(): number;
}

export async function atApps(
  t: TestContext,
  settings: Parameters<typeof atPeople>[1] = {},
): Promise<AtApps> {
  const at = await atPeople(t, { publicUrl: "https://auth.example.org", ...settings });
  const { databaseFile } = at.gate;
  return {
    ...at,
    act: (action, form, sending) =>
      at.open(`${APPS}/${action}`, {
        form,
        ...sending,
        headers: { Origin: "https://auth.example.org", ...sending?.headers },
      }),
    stored: () =>
      Object.fromEntries(valuesOf(databaseFile, "SELECT id, name FROM latchkey_apps ORDER BY id")),
    countSecrets: () => valuesOf(databaseFile, "SELECT id FROM latchkey_app_secrets").length,
  };
}

/** The secret that a page shows, once. */
export const secretIn = ({ body }: Answer): string | undefined =>
  elements(body, "button").find((button) => String(button["data-copy"]).length === 43)?.[
    "data-copy"
  ];
