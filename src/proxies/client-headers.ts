/**
 * Lists headers that tell apps the path, method, host, scheme or address of the original request, or
 * who sent it. A client could use them to get another page than the proxy has checked, or as somebody
 * else: `X-Script-Name` with `/public` makes `/public/admin` become `/admin`. Every printed
 * configuration removes them.
 */
export const CLIENT_HEADERS: readonly string[] = [
  // These headers set the path for WSGI and PHP apps, gateways, IIS and ASP.NET Core.
  ...["X-Script-Name", "Script-Name", "X-Forwarded-Script-Name", "X-Path-Info", "Path-Info"],
  ...["X-Forwarded-Prefix", "X-Forwarded-Path", "X-Forwarded-PathBase", "X-Forwarded-Context"],
  ...["X-Forwarded-Base", "X-Forwarded-Uri", "X-Forwarded-Url", "X-Ingress-Path", "X-Base-Path"],
  ...["X-Original-URL", "X-Original-URI", "X-Original-Path", "X-Original-Prefix"],
  ...["X-Rewrite-URL", "X-Rewrite-URI", "X-Request-URI", "X-Request-Path", "X-Replaced-Path"],
  ...["X-Proxy-URL", "X-Proxy-Path", "X-ProxyContextPath", "X-Envoy-Original-Path"],
  ...["X-Waws-Unencoded-Url", "X-HTTP-Path-Override", "X-Vhm-Root"],
  ...["X-Sendfile-Type", "X-Accel-Mapping", "X-Accel-Redirect"],
  // These headers set the path for Next.js, Astro, RStudio and CouchDB.
  ...["X-Matched-Path", "X-Invoke-Path", "X-Invoke-Query", "X-Now-Route-Matches"],
  ...["X-Middleware-Rewrite", "X-Middleware-Subrequest", "X-Astro-Path", "X-Astro-Locals"],
  ...["X-RStudio-Request", "X-RStudio-Root-Path"],
  ...["X-CouchDB-Requested-Path", "X-CouchDB-Vhost-Path"],
  // These headers set the method.
  ...["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"],
  ...["X-Forwarded-Method", "X-Original-Method"],
  // These headers set the host and the scheme.
  ...["Forwarded", "X-Forwarded", "X-Forwarded-Server", "X-Forwarded-Port", "X-Forwarded-Scheme"],
  ...["X-Forwarded-Ssl", "X-Forwarded-Protocol", "X-Forwarded-By", "X-Host", "X-Vhm-Host"],
  ...["X-Original-Host", "X-Original-Proto", "X-HTTP-Host-Override", "X-Envoy-Original-Host"],
  ...["X-ProxyHost", "X-ProxyPort", "X-ProxyScheme", "X-Scheme", "X-Url-Scheme"],
  ...["Front-End-Https", "WL-Proxy-SSL", "Proxy"],
  // These headers set the client's address. Each proxy replaces `X-Forwarded-For`, `-Host` and
  // `-Proto`, so these three are not listed.
  ...["X-Real-IP", "X-Client-IP", "Client-IP", "True-Client-IP", "X-Cluster-Client-IP"],
  ...["X-Original-For", "X-Original-Forwarded-For", "Proxy-Client-IP", "WL-Proxy-Client-IP"],
];

/** Traefik sets these headers itself, after it has removed those of the client. */
const SET_BY_TRAEFIK: readonly string[] = ["X-Forwarded-Port", "X-Forwarded-Server", "X-Real-IP"];

/**
 * Lists the headers that Traefik's middleware removes, also with underscores. Each name occurs
 * once.
 */
export const TRAEFIK_CLIENT_HEADERS: readonly string[] = [
  ...new Set(
    CLIENT_HEADERS.filter((name) => !SET_BY_TRAEFIK.includes(name)).flatMap((name) => [
      name,
      name.replaceAll("-", "_"),
    ]),
  ),
];

/**
 * Contains the punctuation, besides a hyphen, that a header name may contain. Many apps and their
 * servers read `X.Script~Name` and `X_Script_Name` as `X-Script-Name`.
 */
export const NAME_PUNCTUATION: readonly string[] = [..."_.~!#$%&'*+^`|"];
