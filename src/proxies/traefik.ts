import { TRAEFIK_CLIENT_HEADERS } from "./client-headers.ts";
import { block, joinPieces, type PlannedApp, type ProxyPlan } from "./plan.ts";

/** Renders a file for the file provider of Traefik. */
export const renderTraefik = (plan: ProxyPlan): string => block`
http:
  routers:
    ${[renderGateRouter(plan), ...plan.apps.map((app) => renderAppRouters(plan, app))]}
  middlewares:
    claims:
      headers:
        customRequestHeaders:
          Remote-User: ""
          Remote-User-Id: ""
          Remote-Groups: ""
          Remote-Name: ""
          Remote-Email: ""
          Remote_User: ""
          Remote_User_Id: ""
          Remote-User_Id: ""
          Remote_User-Id: ""
          Remote_Groups: ""
          Remote_Name: ""
          Remote_Email: ""
          Latchkey-Assertion: ""
          Latchkey_Assertion: ""
          X-Request-Id: ""
          ${TRAEFIK_CLIENT_HEADERS.map((name) => `${name}: ""`)}
    latchkey:
      forwardAuth:
        address: http://${plan.gate}/forward-auth?${joinPieces(["authorization=pass", plan.lists], "&")}
        authResponseHeaders: [Remote-User, Remote-User-Id, Remote-Groups, Remote-Name, Remote-Email, Latchkey-Assertion, Authorization]
  services:
    ${[{ name: "gate", server: plan.gate }, ...plan.apps].map(renderService)}
`;

const renderGateRouter = ({ gateHost, apps }: ProxyPlan): string => {
  const gateRule = gateHost === undefined ? [] : [renderRule("Host", gateHost)];
  return renderRouter(
    "gate",
    [...gateRule, ...apps.flatMap(renderGateRules)].join(" || "),
    "claims",
  );
};

function renderGateRules({ host, gatePaths, gateFolders }: PlannedApp): readonly string[] {
  const pages = [
    ...gatePaths.map((path) => renderRule("Path", path)),
    ...gateFolders.map((path) => renderRule("PathPrefix", path)),
  ];
  return pages.length === 0 ? [] : [`(${renderRule("Host", host)}) && (${pages.join(" || ")})`];
}

const renderAppRouters = ({ publicPaths }: ProxyPlan, { name, host }: PlannedApp): string => {
  const appRouter = renderRouter(name, renderRule("Host", host), "claims, latchkey");
  if (publicPaths === undefined) return appRouter;
  const isPublic = `${renderRule("Host", host)} && ${renderRule("PathRegexp", `^${publicPaths}$`)}`;
  return `${appRouter}\n${renderRouter(`${name}-public`, isPublic, "claims", name)}`;
};

const renderRule = (matcher: string, value: string): string => `${matcher}(\`${value}\`)`;

const renderRouter = (
  name: string,
  when: string,
  middlewares: string,
  service = name,
): string => block`
${name}:
  rule: ${when}
  middlewares: [${middlewares}]
  service: ${service}`;

const renderService = ({ name, server }: Pick<PlannedApp, "name" | "server">): string => block`
${name}:
  loadBalancer:
    servers:
      - url: http://${server}`;
