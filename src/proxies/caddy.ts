import { CLIENT_HEADERS, NAME_PUNCTUATION } from "./client-headers.ts";
import { block, joinPieces, type PlannedApp, type ProxyPlan } from "./plan.ts";

/** Renders the sites of a Caddyfile. */
export const renderCaddy = (plan: ProxyPlan): string =>
  `${joinPieces([CLEAN, renderGateSite(plan), ...plan.apps.map((app) => renderAppSite(plan, app))], "\n\n")}\n`;

/** The rules are a snippet, because they are long and all apps need them. */
const CLEAN = block`
(clean_client_headers) {
	request_header -Remote*
	request_header -Latchkey*
	${NAME_PUNCTUATION.map((character) => `request_header -*${character}*`)}
	${CLIENT_HEADERS.map((name) => `request_header -${name}`)}
	@websocket vars_regexp {header.Upgrade} (?i)^websocket$
	@no_websocket not vars_regexp {header.Upgrade} (?i)^websocket$
	request_header @websocket Connection Upgrade
	request_header @no_websocket -Connection
	request_header @no_websocket -Upgrade
}`;

const renderGateSite = (plan: ProxyPlan): string | undefined =>
  plan.gateHost &&
  block`
${plan.scheme}${plan.gateHost}${plan.port} {
	request_header X-Request-Id {http.request.uuid}
	${renderLogSkip(plan)}
	reverse_proxy ${plan.gate}
}`;

const renderAppSite = (plan: ProxyPlan, app: PlannedApp): string => block`
${plan.scheme}${app.host}${plan.port} {
	request_header X-Request-Id {http.request.uuid}
	${app.gatePaths.length > 0 ? renderSharedHost(plan, app) : renderForwardAuth(plan, app)}
}`;

const renderSharedHost = (plan: ProxyPlan, app: PlannedApp): string => block`
@gate path ${[...app.gatePaths, ...app.gateFolders.map((folder) => `${folder}*`)].join(" ")}
${renderLogSkip(plan)}
handle @gate {
	reverse_proxy ${plan.gate}
}

handle {
	${renderForwardAuth(plan, app)}
}`;

/**
 * Renders the log exception, because a log contains queries and redirects, and these contain codes.
 * Caddy 2.8 reads the second name.
 */
const renderLogSkip = ({ secretPath }: ProxyPlan): string | undefined =>
  secretPath && `vars ${secretPath} skip_log true\nvars ${secretPath} log_skip true`;

const renderForwardAuth = (
  { gate, lists, publicPaths }: ProxyPlan,
  { server }: PlannedApp,
): string => block`
route {
	import clean_client_headers
	${publicPaths && renderPublicRoute(publicPaths, server)}
	forward_auth ${gate} {
		uri /forward-auth?${lists}
		copy_headers Remote-User Remote-User-Id Remote-Groups Remote-Name Remote-Email Latchkey-Key Latchkey-Assertion
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
	@no_name vars_regexp {header.Remote-Name} ${NO_VALUE}
	request_header @no_name -Remote-Name
	@no_email vars_regexp {header.Remote-Email} ${NO_VALUE}
	request_header @no_email -Remote-Email
	@no_assertion not vars_regexp {header.Latchkey-Assertion} ^\w
	request_header @no_assertion -Latchkey-Assertion
	reverse_proxy ${server} {
		${NO_SESSION}
	}
}`;

const NO_USER =
  '`{header.Remote-User}.matches("^$|^{http") || {header.Remote-User-Id}.matches("^$|^{http")`';

/** Matches what Caddy 2.7 and older set for a header that the gate has not sent. */
const NO_VALUE = String.raw`^(\{http\.|$)`;

const NO_SESSION = String.raw`header_up Cookie "(^|;)[ \t]*session[ \t]*=[^;]*" "$1"`;

const renderPublicRoute = (paths: string, server: string): string => block`
@public vars_regexp {uri} ^${paths}(\?|$)
reverse_proxy @public ${server} {
	${NO_SESSION}
}`;
