import { GATE_FOLDERS, GATE_PATHS, type PlannedApp, type ProxyPlan } from "./plan.ts";
import { block, joined } from "./text.ts";

/** Sites of a Caddyfile. */
export const caddy = (plan: ProxyPlan): string =>
  `${joined([gateSite(plan), ...plan.apps.map((app) => appSite(plan, app))], "\n\n")}\n`;

const gateSite = ({ gateHost, gate }: ProxyPlan): string | undefined =>
  gateHost &&
  block`
${gateHost} {
	request_header X-Request-Id {http.request.uuid}
	reverse_proxy ${gate}
}`;

const appSite = (plan: ProxyPlan, app: PlannedApp): string => block`
${app.host} {
	request_header X-Request-Id {http.request.uuid}
	${app.pages === "shared" ? shared(plan, app) : guarded(plan, app)}
}`;

const shared = (plan: ProxyPlan, app: PlannedApp): string => block`
@gate path ${[...GATE_PATHS, ...GATE_FOLDERS.map((folder) => `${folder}*`)].join(" ")}
handle @gate {
	reverse_proxy ${plan.gate}
}

handle {
	${guarded(plan, app)}
}`;

const guarded = ({ gate, lists, publicPaths }: ProxyPlan, { server }: PlannedApp): string => block`
route {
	request_header -Remote*
	request_header -X_Forwarded*
	@no_websocket not vars_regexp {header.Upgrade} (?i)^websocket$
	request_header @no_websocket -Upgrade
	${publicPaths === undefined ? "" : publicRoute(publicPaths, server)}
	forward_auth ${gate} {
		uri /forward-auth?${lists}
		copy_headers Remote-User Remote-User-Id Remote-Groups Latchkey-Key
		transport http {
			dial_timeout 5s
			response_header_timeout 5s
		}
	}
	@no_user expression ${NO_USER}
	error @no_user 503
	@key header Latchkey-Key accepted
	request_header @key -Authorization
	request_header -Latchkey-Key
	reverse_proxy ${server} {
		${NO_SESSION}
		header_up Remote-User {header.Remote-User}
		header_up Remote-User-Id {header.Remote-User-Id}
		header_up Remote-Groups {header.Remote-Groups}
	}
}`;

const NO_USER =
  '`{header.Remote-User}.matches("^$|^{http") || {header.Remote-User-Id}.matches("^$|^{http")`';

const NO_SESSION = String.raw`header_up Cookie "(^|;)[ \t]*session[ \t]*=[^;]*" "$1"`;

const publicRoute = (paths: string, place: string): string => block`
@public vars_regexp {uri} ^${paths}(\?|$)
reverse_proxy @public ${place} {
	${NO_SESSION}
}`;
