/**
 * Headers that apps and frameworks take from a proxy in front of them: the path, host, scheme or
 * address that a request "really" has. From a client, one of them makes an app serve another page
 * than the one that the proxy has checked: with `X-Script-Name: /public`, the public
 * `/public/admin` is `/admin`. Every printed configuration removes them. `X-Forwarded-For`, `-Host`
 * and `-Proto` are not among them, because each proxy replaces these.
 */
export const CLIENT_HEADERS: readonly string[] = [
  // The path.
  ...["X-Script-Name", "Script-Name", "X-Forwarded-Script-Name", "X-Forwarded-Prefix"],
  ...["X-Forwarded-Path", "X-Forwarded-Uri", "X-Forwarded-Url", "X-Ingress-Path"],
  ...["X-Original-URL", "X-Original-URI", "X-Original-Path", "X-Rewrite-URL", "X-Rewrite-URI"],
  ...["X-Request-URI", "X-Envoy-Original-Path", "X-Waws-Unencoded-Url", "X-HTTP-Path-Override"],
  ...["X-Sendfile-Type", "X-Accel-Mapping", "X-Accel-Redirect"],
  // The host and the scheme.
  ...["Forwarded", "X-Forwarded-Server", "X-Forwarded-Port", "X-Forwarded-Scheme"],
  ...["X-Forwarded-Ssl", "X-Forwarded-Protocol", "X-Host", "X-Original-Host"],
  ...["X-HTTP-Host-Override", "X-Scheme", "X-Url-Scheme", "Front-End-Https"],
  // The address of the client, and the proxy that a CGI program would use.
  ...["X-Real-IP", "X-Client-IP", "Client-IP", "True-Client-IP", "X-Cluster-Client-IP", "Proxy"],
];

/**
 * Punctuation that a header name may contain beside a hyphen. Many apps and their servers read
 * `X.Script~Name` and `X_Script_Name` as `X-Script-Name`.
 */
export const NAME_PUNCTUATION: readonly string[] = [..."_.~!#$%&'*+^`|"];
