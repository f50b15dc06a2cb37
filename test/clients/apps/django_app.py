"""Python Social Auth with Django, by its generic backend for OpenID Connect."""

import json
import os
import sys
from urllib.parse import urlencode

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

env = os.environ
settings.configure(
    SECRET_KEY=os.urandom(32).hex(),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "app.db"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "social_django",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    LOGGING={
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"console": {"class": "logging.StreamHandler"}},
        "root": {"handlers": ["console"]},
    },
    LOGIN_REDIRECT_URL="/",
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=env["ISSUER"],
    SOCIAL_AUTH_OIDC_KEY=env["CLIENT_ID"],
    SOCIAL_AUTH_OIDC_SECRET=env["CLIENT_SECRET"],
    SOCIAL_AUTH_OIDC_SCOPE=["groups", "offline_access"],
    # Otherwise it assigns the claim to the groups of the user, which Django prohibits.
    SOCIAL_AUTH_PROTECTED_USER_FIELDS=["groups"],
)
django.setup()

from django.contrib.auth import logout  # noqa: E402
from django.http import HttpResponse, HttpResponseRedirect  # noqa: E402
from django.urls import include, path  # noqa: E402
from social_django.utils import load_strategy  # noqa: E402


def home(request):
    if not request.user.is_authenticated:
        return HttpResponse('<a href="/login/oidc/">Sign in</a>')
    social = request.user.social_auth.get()
    shown = {"username": request.user.username, "uid": social.uid}
    return HttpResponse(f"<pre>{json.dumps(shown)}</pre>")


def refresh(request):
    social = request.user.social_auth.get()
    before = social.extra_data["access_token"]
    social.refresh_token(load_strategy())
    refreshed = social.extra_data["access_token"] != before
    return HttpResponse(f"<pre>{json.dumps({'refreshed': refreshed})}</pre>")


def sign_out(request):
    social = request.user.social_auth.get()
    query = {
        "id_token_hint": social.extra_data["id_token"],
        "post_logout_redirect_uri": env["APP_URL"] + "/bye",
    }
    endpoint = social.get_backend_instance(load_strategy()).oidc_config()["end_session_endpoint"]
    logout(request)
    return HttpResponseRedirect(f"{endpoint}?{urlencode(query)}")


urlpatterns = [
    path("", home),
    path("refresh", refresh),
    path("logout", sign_out),
    path("bye", lambda request: HttpResponse("Signed out")),
    path("", include("social_django.urls", namespace="social")),
]

if __name__ == "__main__":
    from wsgiref.simple_server import make_server

    call_command("migrate", verbosity=0)
    with make_server("127.0.0.1", int(env["PORT"]), get_wsgi_application()) as server:
        print("ready", flush=True)
        sys.exit(server.serve_forever())
