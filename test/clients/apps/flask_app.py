"""Authlib with Flask, as its documentation of the Flask client shows."""

import json
import os
from urllib.parse import urlencode

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session
from werkzeug.serving import make_server

env = os.environ
app = Flask(__name__)
app.secret_key = os.urandom(32)

oauth = OAuth(app)
oauth.register(
    name="latchkey",
    client_id=env["CLIENT_ID"],
    client_secret=env["CLIENT_SECRET"],
    server_metadata_url=env["ISSUER"] + "/.well-known/openid-configuration",
    client_kwargs={
        "scope": env.get("SCOPE", "openid profile groups"),
        "token_endpoint_auth_method": env.get("CLIENT", "client_secret_basic"),
        **({"code_challenge_method": "S256"} if env.get("PKCE") else {}),
    },
)
CALLBACK = env.get("CALLBACK", "/auth")
# Cookies are too small for tokens.
tokens = {}


@app.route("/")
def home():
    user = session.get("user")
    if user is None:
        return '<a href="/start">Sign in</a>'
    return f"<pre>{json.dumps(user)}</pre>"


@app.route("/start")
def login():
    return oauth.latchkey.authorize_redirect(env["APP_URL"] + CALLBACK)


@app.route(CALLBACK)
def auth():
    token = oauth.latchkey.authorize_access_token()
    session["user"] = dict(token["userinfo"])
    tokens[token["userinfo"]["sub"]] = dict(token)
    return redirect("/")


@app.route("/userinfo")
def userinfo():
    """Asks with a token that has expired, so that Authlib refreshes it."""
    old = tokens[session["user"]["sub"]]
    renewed = []
    client = oauth.latchkey
    client._update_token = lambda token, **_: renewed.append(token)
    answer = client.get(
        client.load_server_metadata()["userinfo_endpoint"], token={**old, "expires_at": 1}
    )
    is_new = bool(renewed) and renewed[0]["access_token"] != old["access_token"]
    return f"<pre>{json.dumps({**answer.json(), 'refreshed': is_new})}</pre>"


@app.route("/logout")
def logout():
    user = session.pop("user")
    query = {
        "id_token_hint": tokens.pop(user["sub"])["id_token"],
        "post_logout_redirect_uri": env["APP_URL"] + "/bye",
    }
    endpoint = oauth.latchkey.load_server_metadata()["end_session_endpoint"]
    return redirect(f"{endpoint}?{urlencode(query)}")


@app.route("/bye")
def bye():
    return "Signed out"


server = make_server("127.0.0.1", int(env["PORT"]), app, threaded=True)
print("ready", flush=True)
server.serve_forever()
