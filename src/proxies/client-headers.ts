/**
 * Headers that apps and frameworks take from a proxy in front of them: the path, method, host,
 * scheme or address that a request "really" has. From a client, one of them makes an app serve
 * another page than the one that the proxy has checked: with `X-Script-Name: /public`, the public
 * `/public/admin` is `/admin`. Every printed configuration removes them. `X-Forwarded-For`, `-Host`
 * and `-Proto` are not among them, because each proxy replaces these.
 */
export const CLIENT_HEADERS: readonly string[] = [
  // The path: WSGI and PHP apps, gateways, IIS and ASP.NET Core.
  ...["X-Script-Name", "Script-Name", "X-Forwarded-Script-Name", "X-Path-Info", "Path-Info"],
  ...["X-Forwarded-Prefix", "X-Forwarded-Path", "X-Forwarded-PathBase", "X-Forwarded-Context"],
  ...["X-Forwarded-Base", "X-Forwarded-Uri", "X-Forwarded-Url", "X-Ingress-Path", "X-Base-Path"],
  ...["X-Original-URL", "X-Original-URI", "X-Original-Path", "X-Original-Prefix"],
  ...["X-Rewrite-URL", "X-Rewrite-URI", "X-Request-URI", "X-Request-Path", "X-Replaced-Path"],
  ...["X-Proxy-URL", "X-Proxy-Path", "X-ProxyContextPath", "X-Envoy-Original-Path"],
  ...["X-Waws-Unencoded-Url", "X-HTTP-Path-Override", "X-Vhm-Root"],
  ...["X-Sendfile-Type", "X-Accel-Mapping", "X-Accel-Redirect"],
  // The path: Next.js, Astro, RStudio, CouchDB.
  ...["X-Matched-Path", "X-Invoke-Path", "X-Invoke-Query", "X-Now-Route-Matches"],
  ...["X-Middleware-Rewrite", "X-Middleware-Subrequest", "X-Astro-Path", "X-Astro-Locals"],
  ...["X-RStudio-Request", "X-RStudio-Root-Path"],
  ...["X-CouchDB-Requested-Path", "X-CouchDB-Vhost-Path"],
  // The method.
  ...["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"],
  ...["X-Forwarded-Method", "X-Original-Method"],
  // The host and the scheme.
  ...["Forwarded", "X-Forwarded", "X-Forwarded-Server", "X-Forwarded-Port", "X-Forwarded-Scheme"],
  ...["X-Forwarded-Ssl", "X-Forwarded-Protocol", "X-Forwarded-By", "X-Host", "X-Vhm-Host"],
  ...["X-Original-Host", "X-Original-Proto", "X-HTTP-Host-Override", "X-Envoy-Original-Host"],
  ...["X-ProxyHost", "X-ProxyPort", "X-ProxyScheme", "X-Scheme", "X-Url-Scheme"],
  ...["Front-End-Https", "WL-Proxy-SSL", "Proxy"],
  // The address of the client.
  ...["X-Real-IP", "X-Client-IP", "Client-IP", "True-Client-IP", "X-Cluster-Client-IP"],
  ...["X-Original-For", "X-Original-Forwarded-For", "Proxy-Client-IP", "WL-Proxy-Client-IP"],
];

/** Headers that Traefik itself sets, after it has removed those of the client. */
const SET_BY_TRAEFIK: readonly string[] = ["X-Forwarded-Port", "X-Forwarded-Server", "X-Real-IP"];

/** What the middleware of Traefik removes, also with underscores; each name once. */
export const TRAEFIK_CLIENT_HEADERS: readonly string[] = [
  ...new Set(
    CLIENT_HEADERS.filter((name) => !SET_BY_TRAEFIK.includes(name)).flatMap((name) => [
      name,
      name.replaceAll("-", "_"),
    ]),
  ),
];

/**
 * Punctuation that a header name may contain beside a hyphen. Many apps and their servers read
 * `X.Script~Name` and `X_Script_Name` as `X-Script-Name`.
 */
export const NAME_PUNCTUATION: readonly string[] = [..."_.~!#$%&'*+^`|"];
