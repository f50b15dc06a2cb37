import { addApp, changeApp, removeApp } from "../../../src/features/apps/manage-apps.ts";
import { LATE_MS } from "../faulty-store.ts";
import { START } from "../gate.ts";
import type { KnownApp } from "../model/apps.ts";
import { createFact } from "../model/fact.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { COMMAND, groupsOf } from "./members.ts";
import { type Action, FAILED } from "./step.ts";

const MAX_APPS = 4;
const GROUPS: readonly string[] = ["", "", "admins", "family", "admins,family"];
const ANSWERS: readonly KnownApp["answers"][] = ["always", "sometimes", "never"];

const portsOf = ({ operator: store, time }: World) => ({
  store,
  clock: { now: () => Math.floor(START + time.now()) },
  appDirectory: { forget: () => {} },
  record: async () => {},
});

export const addAnyApp: Action = async (world) => {
  const { random, apps, time } = world;
  if (apps.length >= MAX_APPS || !world.isConfigured) return "not now";
  const id = `app-${apps.length + 1}`;
  const groups = random.pick(GROUPS) ?? "";
  const site = `https://${id}.example.org`;
  const app: KnownApp = {
    id,
    state: createFact<"absent" | "present">("absent", time.now, LATE_MS),
    groups: createFact(groups, time.now, LATE_MS),
    backchannelUrl: random.chance(0.8) ? `${site}/back-channel` : undefined,
    answers: random.pick(ANSWERS) ?? "always",
    acknowledged: [],
  };
  const asks = random.chance(0.5);
  apps.push(app);
  const learn = app.state.changing();
  const result = await world.request(COMMAND, () =>
    addApp(
      portsOf(world),
      {
        name: id,
        groups: groupsOf(groups),
        clientType: "public",
        redirects: [`${site}/callback`],
        backchannelUrl: app.backchannelUrl ?? "",
        consent: asks ? "ask" : "none",
      },
      id,
    ),
  );
  promise(result === undefined || result.answer.kind === "added", `${id} is not added`);
  learn(result && { to: "present" });
  return `${id}, ${result?.answer.kind ?? FAILED}`;
};

export const regroupAnyApp: Action = async (world) => {
  const app = world.random.pick(world.apps);
  if (app === undefined) return "without an app";
  const groups = world.random.pick(GROUPS) ?? "";
  const learn = app.groups.changing();
  const result = await world.request(COMMAND, () =>
    changeApp(portsOf(world), app.id, { groups: groupsOf(groups) }),
  );
  const kind = result?.answer.kind;
  learn(result && (kind === "changed" ? { to: groups } : "unchanged"));
  return `${app.id} to ${JSON.stringify(groups)}, ${kind ?? FAILED}`;
};

export const removeAnyApp: Action = async (world) => {
  const app = world.random.pick(world.apps);
  if (app === undefined) return "without an app";
  const learn = app.state.changing();
  const result = await world.request(COMMAND, () => removeApp(portsOf(world), app.id));
  // An app that does not exist was removed before.
  learn(result && { to: "absent" });
  return `${app.id}, ${result?.answer ?? FAILED}`;
};
