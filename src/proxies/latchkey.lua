local PASSED = { "host", "cookie", "authorization", "accept", "accept-language", "sec-fetch-mode",
  "sec-fetch-dest", "x-requested-with", "hx-request", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-request-id" }
local OWN = { ["connection"] = true, ["content-length"] = true, ["transfer-encoding"] = true }
-- These bytes and the header names fit into HAProxy's buffer (tune.bufsize, 16384 bytes).
local MAX_BYTES = 15000
-- The script caches responses that admit, for txn.remember seconds.
local MAX_REMEMBERED = 1000
local remembered, count = {}, 0
-- HAProxy tries up to four times, so a client waits four times this long for a frozen gate.
local TIMEOUT_MS = 1200

-- Joins all lines of a header, because HAProxy 2.6 crashes when a script sends about 100 lines.
local function joined(lines, separator)
  if not lines then return "" end
  return table.concat(lines, separator, 0)
end

-- Removes the session cookie before the app, because only the gate needs it.
core.register_action("drop-session", { "http-req" }, function(txn)
  local cookies = joined(txn.http:req_get_headers()["cookie"], ";")
  local kept = {}
  for cookie in cookies:gmatch("[^;]+") do
    if not cookie:match("^%s*session%s*=") then kept[#kept + 1] = cookie end
  end
  txn.http:req_del_header("cookie")
  if #kept > 0 then txn.http:req_add_header("cookie", table.concat(kept, ";")) end
end)

-- Joins the request URL and all client values that decide whether the client is admitted.
local function keyOf(asked, url)
  local parts = { url }
  for _, name in ipairs({ "x-forwarded-method", "x-forwarded-host", "host", "authorization", "cookie" }) do
    parts[#parts + 1] = (asked[name] or { "" })[1]
  end
  return table.concat(parts, "\n")
end

local function remember(key, admission)
  if count >= MAX_REMEMBERED then remembered, count = {}, 0 end
  if not remembered[key] then count = count + 1 end
  remembered[key] = admission
end

local function admit(txn, admission)
  txn.http:req_set_header("remote-user", admission.user)
  txn.http:req_set_header("remote-user-id", admission.id)
  txn.http:req_set_header("remote-groups", admission.groups)
  if admission.name ~= "" then txn.http:req_set_header("remote-name", admission.name) end
  if admission.email ~= "" then txn.http:req_set_header("remote-email", admission.email) end
  if admission.assertion ~= "" then txn.http:req_set_header("latchkey-assertion", admission.assertion) end
  -- Only the gate needs an accepted API key.
  if admission.key then txn.http:req_del_header("authorization") end
  return txn:set_var("txn.admitted", true)
end

-- Sets txn.admitted after a 200 with the user. HAProxy continues with the next rule when a script
-- fails, so the app is protected by the rule that denies requests without this variable.
core.register_action("forward-auth", { "http-req" }, function(txn, url)
  txn:unset_var("txn.admitted")
  local client = txn.http:req_get_headers()
  local uri = txn.f:pathq()
  local asked = { ["x-forwarded-method"] = { txn.f:method() }, ["x-forwarded-uri"] = { uri } }
  local bytes = #uri
  for _, name in ipairs(PASSED) do
    local value = joined(client[name], name == "cookie" and "; " or ", ")
    bytes = bytes + #value
    if value ~= "" then asked[name] = { value } end
  end
  if bytes > MAX_BYTES then return txn:done({ status = 431 }) end

  local seconds, now = txn:get_var("txn.remember"), core.now()
  local at = now.sec + now.usec / 1e6
  local key = seconds and keyOf(asked, url)
  local known = key and remembered[key]
  if known and at >= known.at and at - known.at < seconds then return admit(txn, known) end

  local answer = core.httpclient():get({ url = url, headers = asked, timeout = TIMEOUT_MS })
  local status, headers = answer.status or 0, answer.headers or {}
  local user, id = joined(headers["remote-user"], ", "), joined(headers["remote-user-id"], ", ")
  if status == 200 and user ~= "" and id ~= "" then
    local groups = joined(headers["remote-groups"], ",")
    local admission = { at = at, user = user, id = id, groups = groups, key = headers["latchkey-key"] }
    admission.name = joined(headers["remote-name"], ", ")
    admission.email = joined(headers["remote-email"], ", ")
    admission.assertion = joined(headers["latchkey-assertion"], ", ")
    if key and not headers["set-cookie"] then remember(key, admission) end
    return admit(txn, admission)
  end
  -- 502 and 504 are HAProxy's own responses if the gate does not respond.
  if status < 300 or status == 502 or status == 504 then return txn:done({ status = 503 }) end
  for name in pairs(OWN) do headers[name] = nil end
  txn:done({ status = status, headers = headers, body = answer.body })
end, 1)
