import type { Answer } from "../../http/responses.ts";
import { toShownApp } from "../apps/app-icon-pages.ts";
import type { UserContext } from "../context.ts";
import { showPage } from "../show-page.ts";
import { listLauncherApps } from "./list-launcher-apps.ts";

/** Shows the apps that the person may open, also a guest. */
export async function getLauncher(context: UserContext): Promise<Answer> {
  const { rules, user, paths } = context;
  const apps = await rules.appDirectory.read();
  const sections = listLauncherApps(apps.all, user).map(({ name, apps: inSection }) => ({
    name,
    apps: inSection.map(({ app, url }) => ({
      ...toShownApp(app, apps, paths.base),
      url: url.href,
      host: url.host,
      needsFactor: app.factors === 2,
    })),
  }));
  return showPage(context, "launcher", { sections });
}
