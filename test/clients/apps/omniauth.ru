# OmniAuth with its strategy for OpenID Connect, as its README shows.
require "json"
require "rack/session/cookie"
require "securerandom"
require "omniauth"
require "omniauth_openid_connect"

$stdout.sync = true

use Rack::Session::Cookie, secret: SecureRandom.hex(64)
CALLBACK = ENV.fetch("CALLBACK", "/auth/latchkey/callback")

use OmniAuth::Builder do
  provider :openid_connect,
    name: :latchkey,
    issuer: ENV["ISSUER"],
    discovery: true,
    scope: ENV.fetch("SCOPE", "openid profile groups").split.map(&:to_sym),
    pkce: ENV.key?("PKCE"),
    client_auth_method: ENV.fetch("CLIENT", "client_secret_basic") == "client_secret_post" ? :other : :basic,
    callback_path: CALLBACK,
    post_logout_redirect_uri: "#{ENV["APP_URL"]}/bye",
    client_options: {
      identifier: ENV["CLIENT_ID"],
      secret: ENV["CLIENT_SECRET"],
      redirect_uri: "#{ENV["APP_URL"]}#{CALLBACK}"
    }
end

run(lambda do |env|
  request = Rack::Request.new(env)
  html = lambda { |text| [200, { "Content-Type" => "text/html" }, [text]] }
  case request.path
  when CALLBACK
    auth = env["omniauth.auth"]
    request.session["user"] = {
      uid: auth.uid, nickname: auth.info.nickname, groups: auth.extra.raw_info["groups"]
    }
    request.session["refresh_token"] = auth.credentials.refresh_token
    [302, { "Location" => "/" }, []]
  when "/refresh"
    client = OpenIDConnect::Client.new(
      identifier: ENV["CLIENT_ID"], secret: ENV["CLIENT_SECRET"],
      token_endpoint: "#{ENV["ISSUER"]}/oidc/token", userinfo_endpoint: "#{ENV["ISSUER"]}/oidc/userinfo"
    )
    client.refresh_token = before = request.session["refresh_token"]
    token = client.access_token!
    request.session["refresh_token"] = token.refresh_token
    html.call("<pre>#{{ uid: token.userinfo!.sub, refreshed: token.refresh_token != before }.to_json}</pre>")
  when "/auth/failure" then html.call("failed: #{request.params["message"]}")
  when "/bye"
    request.session.clear
    html.call("Signed out")
  else
    user = request.session["user"]
    token = Rack::Protection::AuthenticityToken.token(request.session)
    html.call(user ? "<pre>#{user.to_json}</pre>" : <<~HTML)
      <form method="post" action="/auth/latchkey">
      <input type="hidden" name="authenticity_token" value="#{token}">
      <button>Sign in</button></form>
    HTML
  end
end)
