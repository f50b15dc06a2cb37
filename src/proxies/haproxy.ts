import { CLIENT_HEADERS } from "./client-headers.ts";
import { ProxyOptionError } from "./options.ts";
import { block, type PlannedApp, type ProxyPlan } from "./plan.ts";

/**
 * Renders the file haproxy.cfg, which loads the script.
 * @throws ProxyOptionError
 */
export function renderHaproxy(plan: ProxyPlan): string {
  if (!/^(\[|[\d.]+:)/.test(plan.gate)) {
    throw new ProxyOptionError("HAProxy asks the gate at an IP address only: set HOST to one");
  }
  return block`
global
    lua-load-per-thread /etc/haproxy/latchkey.lua

defaults
    mode http
    timeout connect 5s
    timeout client 1m
    timeout server 1m
    timeout tunnel 1h
    # Trailers follow the body, where no rule sees them. Older versions pass them on.
    .if version_atleast(3.2)
    option http-drop-request-trailers
    .endif

frontend web
    bind :80
    ${plan.secretPath && `http-request set-log-level silent if { path ${plan.secretPath} }`}
    http-request deny deny_status 400 if { req.fhdr(host),length gt 300 }
    http-request deny deny_status 400 unless { url_reg -i ^(https?://([\w.-]+|\[[\da-f:.]+])(:\d+)?)?/ }
    http-request deny deny_status 400 if { req.hdr(trailer) -m found }
    ${listHosts(plan).map((host) => `acl known_host req.fhdr(host),host_only -i ${host}`)}
    http-request deny deny_status 421 unless known_host
    http-request del-header [^[:alnum:]-] -m reg
    http-request del-header ^(${CLIENT_HEADERS.join("|").toLowerCase()})$ -m reg
    http-request set-header X-Forwarded-For %[src]
    http-request set-header X-Forwarded-Proto %[ssl_fc,iif(https,http)]
    http-request set-header X-Forwarded-Host %[req.fhdr(host)]
    http-request set-header X-Request-Id %[uuid]
    ${plan.gateHost && `use_backend gate if ${renderHostMatch(plan.gateHost)}`}
    ${plan.apps.flatMap(renderChoices)}

backend gate
    server gate ${plan.gate}

${plan.apps.map((app) => renderBackend(plan, app)).join("\n\n")}
`;
}

const renderHostMatch = (host: string): string => `{ req.fhdr(host),host_only -i ${host} }`;

const listHosts = ({ gateHost, apps }: ProxyPlan): readonly string[] =>
  [gateHost, ...apps.map(({ host }) => host)].filter((host) => host !== undefined);

function renderChoices({ host, name, gatePaths, gateFolders }: PlannedApp): readonly string[] {
  const here = renderHostMatch(host);
  const gate = [
    gatePaths.length > 0 && `{ path ${gatePaths.join(" ")} }`,
    gateFolders.length > 0 && `{ path_beg ${gateFolders.join(" ")} }`,
  ].filter((condition) => condition !== false);
  return [
    ...gate.map((condition) => `use_backend gate if ${here} ${condition}`),
    `use_backend ${name} if ${here}`,
  ];
}

function renderBackend(plan: ProxyPlan, { name, server }: PlannedApp): string {
  const { gate, lists, publicPaths, remember } = plan;
  const url = `http://${gate}/forward-auth${lists && `?${lists}`}`;
  return block`
backend ${name}
    http-request del-header remote -m beg
    http-request del-header latchkey -m beg
    http-request del-header upgrade unless { req.fhdr(upgrade) -m str -i websocket }
    http-request set-header Upgrade websocket if { req.fhdr(upgrade) -m found }
    ${publicPaths && `acl public path_reg ^${publicPaths}$`}
    ${remember && `http-request set-var(txn.remember) int(${remember})`}
    http-request lua.forward-auth ${url}${publicPaths && " unless public"}
    http-request deny deny_status 503 unless ${publicPaths && "public or "}{ var(txn.admitted) -m bool }
    http-request lua.drop-session
    http-request deny deny_status 503 if { req.cook(session) -m found }
    server ${name} ${server}`;
}
