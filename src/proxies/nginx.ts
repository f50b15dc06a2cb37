import { CLIENT_HEADERS } from "./client-headers.ts";
import { block, joinPieces, type PlannedApp, type ProxyPlan } from "./plan.ts";

/** Renders blocks for the context `http` of nginx. */
export const renderNginx = (plan: ProxyPlan): string => block`
# Open connections to the gate and to the apps: one for each request would cost more than the answer.
# The gate closes unused ones after five seconds.
${[{ name: "latchkey", server: plan.gate }, ...plan.apps].map(renderUpstream)}
${plan.remember && CACHE}
${findLongestHost(plan) > MAX_DEFAULT_HOST ? "server_names_hash_bucket_size 512;" : ""}

# The cookies without the session, which is for the gate alone.
map $http_cookie $cookies_once { default $http_cookie; "~^(?<before>.*;[ \t]*|)session[ \t]*=[^;]*(?:;[ \t]*(?<after>.*))?$" "$before$after"; }
map $cookies_once $cookies_twice { default $cookies_once; "~^(?<before2>.*;[ \t]*|)session[ \t]*=[^;]*(?:;[ \t]*(?<after2>.*))?$" "$before2$after2"; }
map $cookies_twice $app_cookies { default $cookies_twice; "~(^|;)[ \t]*session[ \t]*=" ""; }

# The client's Authorization, except a key that the gate has accepted: it is for the gate alone.
map $key $app_authorization { default ""; "" $http_authorization; }

# The port that the client used, for the host name by which nginx chose the server.
map $http_host $host_port { default ""; "~(?<port>:\d+)$" $port; }

# Empty unless the gate has named a user: proxy_pass then fails, and the app gets nothing.
map $user $admitted { default http://; "" ""; }

# Upgrades to WebSocket, and to no other protocol.
map $http_upgrade $app_upgrade { default ""; "~*^websocket$" websocket; }
map $app_upgrade $app_connection { default ""; websocket upgrade; }

# The first server answers requests for hosts that no other one names, and those without a host.
server {
    listen 80;
    server_name "";
    return 421;
}

${joinPieces([renderGateServer(plan), ...plan.apps.map((app) => renderAppServer(plan, app))], "\n\n")}
`;

/** nginx refuses longer names of servers unless this limit is raised. */
const MAX_DEFAULT_HOST = 40;

const findLongestHost = ({ gateHost = "", apps }: ProxyPlan): number =>
  Math.max(gateHost.length, ...apps.map(({ host }) => host.length));

const renderGateServer = ({ gateHost }: ProxyPlan): string | undefined =>
  gateHost &&
  block`
server {
    listen 80;
    server_name ${gateHost};

    location / {
        ${gatePages}
    }
}`;

const renderAppServer = (plan: ProxyPlan, app: PlannedApp): string => block`
server {
    listen 80;
    server_name ${app.host};
    absolute_redirect off;

    ${app.gatePaths.length > 0 ? renderSharedPages(app) : ""}
    location = /latchkey-asks {
        internal;
        client_max_body_size 0;
        ${renderGateRequest(`/forward-auth?${joinPieces(["deny=401", plan.lists], "&")}`)}
        ${plan.remember && renderCache(plan, plan.remember)}
        proxy_connect_timeout 5s;
        proxy_read_timeout 5s;
        proxy_pass_request_body off;
        proxy_set_header Content-Length "";
        proxy_set_header X-Forwarded-Host $host$host_port;
        proxy_set_header X-Forwarded-Uri $request_uri;
        proxy_set_header X-Forwarded-Method $request_method;
    }

    ${plan.publicPaths && renderPublicLocation(plan.publicPaths, app)}
    location / {
        auth_request /latchkey-asks;
        auth_request_set $sign_in $upstream_http_location;
        auth_request_set $user $upstream_http_remote_user;
        auth_request_set $user_id $upstream_http_remote_user_id;
        auth_request_set $groups $upstream_http_remote_groups;
        auth_request_set $name $upstream_http_remote_name;
        auth_request_set $email $upstream_http_remote_email;
        auth_request_set $key $upstream_http_latchkey_key;
        auth_request_set $assertion $upstream_http_latchkey_assertion;
        auth_request_set $retry_after $upstream_http_retry_after;
        error_page 401 = @sign_in;
        error_page 403 /latchkey-asks;

        client_max_body_size 1g;
        proxy_pass $${"{admitted}"}${app.name};
        proxy_http_version 1.1;
        proxy_set_header Upgrade $app_upgrade;
        proxy_set_header Connection $app_connection;
        proxy_set_header Authorization $app_authorization;
        proxy_set_header Remote-User $user;
        proxy_set_header Remote-User-Id $user_id;
        proxy_set_header Remote-Groups $groups;
        proxy_set_header Remote-Name $name;
        proxy_set_header Remote-Email $email;
        proxy_set_header Latchkey-Assertion $assertion;
        ${appHeaders}
    }

    location @sign_in {
        add_header Retry-After $retry_after always;
        if ($retry_after != "") { return 429; }
        if ($sign_in = "") { return 401; }
        return 303 $sign_in;
    }
}`;

const clientHeaders = `proxy_set_header Host $host$host_port;
proxy_set_header X-Forwarded-For $remote_addr;
proxy_set_header X-Forwarded-Proto $scheme;
proxy_set_header X-Request-Id $request_id;`;

const renderGateRequest = (path: string): string => `proxy_pass http://latchkey${path};
proxy_http_version 1.1;
proxy_set_header Connection "";
${clientHeaders}`;

const gatePages = renderGateRequest("");

/**
 * Renders the gate's paths on an app's host. The log omits the path at which a query contains a
 * code, because the log contains queries.
 */
const renderSharedPages = ({ gatePaths, gateFolders }: PlannedApp): string => block`
location ~ ^(${[`(${gatePaths.join("|").replaceAll(".", "\\.")})$`, ...gateFolders].join("|")}) {
    ${gateFolders.length === 0 ? "access_log off;" : ""}
    ${gatePages}
}
`;

const appHeaders = `proxy_set_header Cookie $app_cookies;
proxy_set_header X-Forwarded-Host $host$host_port;
${clientHeaders}
proxy_set_header Latchkey-Key "";
${CLIENT_HEADERS.map((name) => `proxy_set_header ${name} "";`).join("\n")}`;

/**
 * Renders the public paths. The pattern does not end with `$`, because `$` also matches before a
 * final line break, which `$uri` would pass on.
 */
const renderPublicLocation = (paths: string, app: PlannedApp): string => block`
location ~ ^${paths}\z {
    proxy_pass http://${app.name}$uri$is_args$args;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Remote-User "";
    proxy_set_header Remote-User-Id "";
    proxy_set_header Remote-Groups "";
    proxy_set_header Remote-Name "";
    proxy_set_header Remote-Email "";
    proxy_set_header Latchkey-Assertion "";
    ${appHeaders}
}
`;

const renderUpstream = ({ name, server }: Pick<PlannedApp, "name" | "server">): string => block`
upstream ${name} {
    server ${server};
    keepalive 64;
    keepalive_timeout 4s;
}`;

// The cache is in memory, because the key of a cached response contains the session.
const CACHE = `proxy_cache_path /run/nginx-latchkey keys_zone=latchkey:10m max_size=64m inactive=10s use_temp_path=off;`;

/**
 * Renders the cache. In its key, the client's values come first. The administrator's lists
 * therefore always end the key, whatever the client sends.
 */
const renderCache = ({ lists }: ProxyPlan, seconds: string): string => block`
proxy_cache latchkey;
proxy_cache_key "$http_cookie\n$http_authorization\n$http_host\n$host\n$request_method\n${lists}";
proxy_cache_valid 200 ${seconds}s;
proxy_ignore_headers Cache-Control Expires X-Accel-Expires;
proxy_set_header Cookie $http_cookie;
proxy_set_header Authorization $http_authorization;`;
