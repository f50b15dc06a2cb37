import type { Headers } from "../http/request.ts";

/** User agents of health checks, which some guards admit to every path. */
const HEALTH_CHECKS: readonly string[] = [
  "",
  "-",
  "kube-probe/1.34",
  "GoogleHC/1.0",
  "Google-Cloud-Load-Balancer",
  "ELB-HealthChecker/2.0",
  "Amazon-Route53-Health-Check-Service",
  "Consul Health Check",
  "Envoy/HC",
  "HAProxy",
  "Load Balancer Agent",
  "Edge Health Probe",
  "Cloudflare-Healthchecks/1.0",
  "UptimeRobot/2.0",
  "Uptime-Kuma/2.0",
  "Pingdom.com_bot_version_1.4",
  "StatusCake",
  "Blackbox Exporter/0.27.0",
  "Prometheus/3.5.0",
  "Docker-HealthCheck",
  "curl/8.14.1",
  "curl healthcheck",
  "Wget/1.25.0",
  "Go-http-client/1.1",
];

/** The last ones cannot be decoded, so that a guard may throw on them. */
const AUTHORIZATIONS: readonly string[] = [
  "",
  "Basic",
  "Basic ",
  "Basic Og==",
  "Basic b3duZXI6b3duZXI=",
  "Basic bm9jb2xvbg==",
  "Bearer",
  "Bearer ",
  "Bearer null",
  "Bearer undefined",
  "Bearer ..",
  "Bearer a.b.c",
  "Bearer e30.e30.",
  "Negotiate",
  "Digest username=",
  ", Basic",
  `Bearer ${"A".repeat(4_000)}`,
  "Basic !!!",
  "Basic =",
  "Basic /////w==",
  "Bearer %",
  "Bearer %zz",
  "Bearer %c0%80",
  "Bearer \xff\xfe",
];

const COOKIES: readonly string[] = [
  "",
  ";",
  "=",
  "==;==",
  "session",
  "session=",
  "session=; session=",
  "session=.",
  "session=..",
  "session=a.b.c",
  "session=e30.e30.",
  "session=null",
  "session=true",
  "session={}",
  'session=j:{"user_id":"1"}',
  "session=s:1.",
  "session=bnVsbA==|1|a",
  'session="',
  "session[]=1",
  "session[__proto__]=1",
  "__proto__=1; constructor=1",
  `session=${"A".repeat(4_000)}`,
  "session=%",
  "session=%zz",
  "session=%c0%80",
  "session=\xff\xfe",
];

const FORWARDED: readonly string[] = [
  "X-Forwarded-Method",
  "X-Forwarded-Proto",
  "X-Forwarded-Host",
  "X-Forwarded-Port",
  "X-Forwarded-Uri",
  "X-Forwarded-For",
  "X-Original-URL",
  "X-Original-URI",
  "X-Original-Method",
  "X-Real-IP",
  "Forwarded",
  "Accept",
];

/** What a health check on the same machine looks like behind a proxy. */
const LOCAL_CHECK: Headers = {
  "X-Forwarded-For": "127.0.0.1",
  "X-Real-IP": "127.0.0.1",
  "X-Forwarded-Uri": "/healthz",
  "X-Original-URI": "/healthz",
};

/** Headers that a proxy sets, from a client that is not a proxy, and some that change a response. */
const claims = (host: string): Headers => ({
  "X-Original-URL": "/login",
  "X-Rewrite-URL": "/login",
  "X-Original-URI": "/login",
  "X-Forwarded-Uri": "/login",
  "X-Forwarded-Path": "/login",
  "X-Forwarded-Prefix": "/login",
  "X-Script-Name": "/login",
  "X-Envoy-Original-Path": "/login",
  "X-HTTP-Path-Override": "/login",
  "X-Forwarded-Method": "OPTIONS",
  "X-HTTP-Method-Override": "OPTIONS",
  "X-HTTP-Method": "OPTIONS",
  "X-Method-Override": "OPTIONS",
  "X-Forwarded-For": "127.0.0.1",
  "X-Real-IP": "127.0.0.1",
  Forwarded: "for=127.0.0.1",
  "Remote-User": "owner",
  "Remote-User-Id": "1",
  "Remote-Name": "owner",
  "Remote-Email": "owner@example.org",
  "X-Forwarded-User": "owner",
  Accept: "application/json",
  "X-Requested-With": "XMLHttpRequest",
  "HX-Request": "true",
  Upgrade: "websocket",
  "Sec-Fetch-Site": "same-origin",
  Range: "bytes=0-10",
  "If-None-Match": "*",
  "Max-Forwards": "0",
  Expect: "100-continue",
  Origin: `http://${host}`,
});

/** Headers of requests without a session, that a guard might admit or fail on. */
export function guardHeaders(host: string): readonly Headers[] {
  const every = (value: string): Headers =>
    Object.fromEntries(FORWARDED.map((name) => [name, value]));
  return [
    ...Object.entries(claims(host)).map(([name, value]) => ({ [name]: value })),
    ...HEALTH_CHECKS.flatMap((agent) => [
      { "User-Agent": agent },
      { "User-Agent": agent, ...LOCAL_CHECK },
    ]),
    ...AUTHORIZATIONS.map((value) => ({ Authorization: value })),
    { Authorization: ["Basic Og==", "Bearer %"] },
    ...COOKIES.map((value) => ({ Cookie: value })),
    { Cookie: ["session=%", "session=."] },
    ...FORWARDED.flatMap((name) => ["", "%", "[", ","].map((value) => ({ [name]: value }))),
    ...["", "%", "[", ","].map(every),
  ];
}
