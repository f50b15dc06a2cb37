import { execFileSync } from "node:child_process";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NginxGuard } from "./contestants.ts";
import { greeting, nameOf } from "./peers/peer.ts";

const PLACES = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx"];

/**
 * Writes the configuration of an nginx that sends a small file after its guard, and returns the
 * command. The connections to the guard stay open, which is the lower limit of its cost.
 *
 * @throws if nginx is not installed
 */
export async function writeNginx(
  folder: string,
  guard: NginxGuard,
  port: number,
  guardPort: number,
): Promise<readonly string[]> {
  const program = await findNginx();
  await mkdir(join(folder, "page"), { recursive: true });
  await writeFile(join(folder, "page/guarded"), greeting(nameOf(0)));
  await writeFile(join(folder, "nginx.conf"), configuration(guard, port, guardPort));
  return [program, "-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"];
}

/** @throws if nginx is not installed */
export async function findNginx(): Promise<string> {
  for (const place of PLACES) {
    try {
      await access(place);
      return place;
    } catch {
      // The next one.
    }
  }
  throw new Error("nginx is not installed (Debian package nginx-light)");
}

export function nginxVersion(): string | undefined {
  try {
    const text = execFileSync("sh", ["-c", "PATH=$PATH:/usr/sbin nginx -v 2>&1"]).toString();
    return /nginx\/[\d.]+/.exec(text)?.[0];
  } catch {
    return undefined;
  }
}

function configuration(guard: NginxGuard, port: number, guardPort: number): string {
  const asks = {
    nginx: "",
    "nginx-basic": `auth_basic "bench"; auth_basic_user_file htpasswd;
        add_header Remote-User $remote_user;`,
    "nginx-ok": "auth_request /auth;",
    "nginx-gate": `auth_request /auth; auth_request_set $user $upstream_http_remote_user;
        add_header Remote-User $user;`,
  }[guard];
  return `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr error;
events {}
http {
  access_log off;
  default_type text/plain;
  keepalive_requests 1000000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  upstream guard {
    server 127.0.0.1:${guardPort};
    keepalive 64;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port};
    root page;
    location = /guarded { ${asks} }
    location = /auth {
      internal;
      proxy_pass http://guard/forward-auth?deny=401;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Uri $request_uri;
      proxy_set_header X-Forwarded-Method $request_method;
    }
  }
  ${guard === "nginx-ok" ? `server { listen 127.0.0.1:${guardPort}; return 200; }` : ""}
}
`;
}
