import { TRAEFIK_CLIENT_HEADERS } from "./client-headers.ts";
import { block, joined, type PlannedApp, type ProxyPlan } from "./plan.ts";

/** A file for the file provider of Traefik. */
export const traefik = (plan: ProxyPlan): string => block`
http:
  routers:
    ${[gateRouter(plan), ...plan.apps.map((app) => appRouters(plan, app))]}
  middlewares:
    claims:
      headers:
        customRequestHeaders:
          Remote-User: ""
          Remote-User-Id: ""
          Remote-Groups: ""
          Remote_User: ""
          Remote_User_Id: ""
          Remote-User_Id: ""
          Remote_User-Id: ""
          Remote_Groups: ""
          Latchkey-Assertion: ""
          Latchkey_Assertion: ""
          X-Request-Id: ""
          ${TRAEFIK_CLIENT_HEADERS.map((name) => `${name}: ""`)}
    latchkey:
      forwardAuth:
        address: http://${plan.gate}/forward-auth?${joined(["authorization=pass", plan.lists], "&")}
        authResponseHeaders: [Remote-User, Remote-User-Id, Remote-Groups, Latchkey-Assertion, Authorization]
  services:
    ${[{ name: "gate", server: plan.gate }, ...plan.apps].map(service)}
`;

const gateRouter = ({ gateHost, apps }: ProxyPlan): string => {
  const own = gateHost === undefined ? [] : [rule("Host", gateHost)];
  return router("gate", [...own, ...apps.flatMap(gateRules)].join(" || "), "claims");
};

function gateRules({ host, gatePaths, gateFolders }: PlannedApp): readonly string[] {
  const pages = [
    ...gatePaths.map((path) => rule("Path", path)),
    ...gateFolders.map((path) => rule("PathPrefix", path)),
  ];
  return pages.length === 0 ? [] : [`(${rule("Host", host)}) && (${pages.join(" || ")})`];
}

const appRouters = ({ publicPaths }: ProxyPlan, { name, host }: PlannedApp): string => {
  const own = router(name, rule("Host", host), "claims, latchkey");
  if (publicPaths === undefined) return own;
  const isPublic = `${rule("Host", host)} && ${rule("PathRegexp", `^${publicPaths}$`)}`;
  return `${own}\n${router(`${name}-public`, isPublic, "claims", name)}`;
};

const rule = (matcher: string, value: string): string => `${matcher}(\`${value}\`)`;

const router = (name: string, when: string, middlewares: string, service = name): string => block`
${name}:
  rule: ${when}
  middlewares: [${middlewares}]
  service: ${service}`;

const service = ({ name, server }: Pick<PlannedApp, "name" | "server">): string => block`
${name}:
  loadBalancer:
    servers:
      - url: http://${server}`;
