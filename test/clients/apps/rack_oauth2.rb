# Gets tokens for a code by rack-oauth2, and prints them. Without a secret, as Zammad does.
require "rack/oauth2"

client = Rack::OAuth2::Client.new(
  identifier: ENV["CLIENT_ID"],
  secret: ENV["CLIENT_SECRET"],
  redirect_uri: ENV["REDIRECT_URI"],
  token_endpoint: "#{ENV["ISSUER"]}/oidc/token"
)
client.authorization_code = ENV["CODE"]
tokens = client.access_token!(:basic, code_verifier: ENV["CODE_VERIFIER"])
puts tokens.raw_attributes.to_json
