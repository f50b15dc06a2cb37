SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.latchkey_note_removal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
   BEGIN
     DELETE FROM latchkey_configured WHERE NOT EXISTS (SELECT FROM latchkey_users);
     IF TG_OP = 'TRUNCATE' THEN PERFORM pg_notify('latchkey_users', 'all'); END IF;
     RETURN NULL;
   END $$;
CREATE FUNCTION public.latchkey_note_user() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
   BEGIN
     INSERT INTO latchkey_configured VALUES (true) ON CONFLICT DO NOTHING;
     RETURN NULL;
   END $$;
CREATE FUNCTION public.latchkey_tell_user() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
   BEGIN
     PERFORM pg_notify('latchkey_users', OLD.id);
     RETURN NULL;
   -- A relative of PostgreSQL that has no notifications: its users are read every second.
   EXCEPTION WHEN feature_not_supported OR undefined_function THEN RETURN NULL;
   END $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE UNLOGGED TABLE public.latchkey_attempts (
    address text NOT NULL,
    made timestamp with time zone[] NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.latchkey_configured (
    yes boolean NOT NULL,
    CONSTRAINT latchkey_configured_yes_check CHECK (yes)
);
CREATE TABLE public.latchkey_import_mark (
    one boolean NOT NULL,
    mark text NOT NULL,
    CONSTRAINT latchkey_import_mark_one_check CHECK (one)
);
CREATE TABLE public.latchkey_log (
    id bigint NOT NULL,
    key uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    type text NOT NULL,
    summary text NOT NULL,
    author text NOT NULL
);
CREATE TABLE public.latchkey_log_end (
    one boolean NOT NULL,
    id bigint NOT NULL,
    CONSTRAINT latchkey_log_end_one_check CHECK (one)
);
CREATE TABLE public.latchkey_schema (
    one boolean NOT NULL,
    version integer NOT NULL,
    CONSTRAINT latchkey_schema_one_check CHECK (one)
);
CREATE TABLE public.latchkey_users (
    id text NOT NULL COLLATE pg_catalog."C",
    username text NOT NULL COLLATE pg_catalog."C",
    password_hash text NOT NULL,
    sessions_from bigint
);
INSERT INTO public.latchkey_attempts VALUES ('127.0.0.1', '{"2026-11-22 18:33:14.013794+00"}');
INSERT INTO public.latchkey_configured VALUES (true);
INSERT INTO public.latchkey_import_mark VALUES (true, '{"source":"sqlite:/srv/latchkey/old.db","users":2,"entries":6,"userId":"78e82beb-9055-4a92-8850-aec0d8a997eb","entryId":6,"lastEntryId":6,"state":"finished"}');
INSERT INTO public.latchkey_log VALUES (1, 'b72272d1-077c-4f58-a929-ebe73fc6c109', '2026-11-22 18:31:29.037+00', 'signup', 'Created account owner', 'system');
INSERT INTO public.latchkey_log VALUES (2, '00aa1cbb-390c-400c-ba12-d5f1e88c4e76', '2026-11-22 18:31:29.189+00', 'signin', 'Signed in as owner', 'system');
INSERT INTO public.latchkey_log VALUES (3, '0b725eed-978d-40de-908a-74b34ae0a33f', '2026-11-22 18:31:29.452+00', 'password_change', 'Changed password', 'system');
INSERT INTO public.latchkey_log VALUES (4, '9dced258-d940-4b84-af75-720e934a801b', '2026-11-22 18:31:29.716+00', 'signin_rate_limited', 'Rate limited login from 127.0.0.1', 'system');
INSERT INTO public.latchkey_log VALUES (5, '0548d6ba-4962-462a-81af-4a04fa9df3d6', '2026-11-22 18:31:54.68+00', 'user_add', 'Added account guest', 'cli');
INSERT INTO public.latchkey_log VALUES (6, '308e340c-e771-4d01-a578-91f09bf40125', '2026-11-22 18:31:55.04+00', 'user_sign_out', 'Ended the sessions of guest', 'cli');
INSERT INTO public.latchkey_log VALUES (7, '4a8337c5-439c-4b6d-92a0-828538bf033c', '2026-11-22 18:33:14.033+00', 'signin', 'Signed in as owner', 'system');
INSERT INTO public.latchkey_log_end VALUES (true, 7);
INSERT INTO public.latchkey_schema VALUES (true, 1);
INSERT INTO public.latchkey_users VALUES ('168f67dd-aa00-4320-819d-b364618e964e', 'guest', '$argon2id$v=19$m=19456,t=2,p=1$hMfJovEg33XkiuVT3krK+A$AzmRksmnFeCTkRJxzxXo0o0XZss50bbHFIdFKfvTP9o', 1795372316);
INSERT INTO public.latchkey_users VALUES ('78e82beb-9055-4a92-8850-aec0d8a997eb', 'owner', '$argon2id$v=19$m=19456,t=2,p=1$yILm1hlU6Q4WeWI8Y9c3SQ$ryb2+Mr7pPjqYTEZcp58XXHr0iyVTZ2O53kBvvc9PWI', NULL);
ALTER TABLE ONLY public.latchkey_attempts
    ADD CONSTRAINT latchkey_attempts_pkey PRIMARY KEY (address);
ALTER TABLE ONLY public.latchkey_configured
    ADD CONSTRAINT latchkey_configured_pkey PRIMARY KEY (yes);
ALTER TABLE ONLY public.latchkey_import_mark
    ADD CONSTRAINT latchkey_import_mark_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.latchkey_log_end
    ADD CONSTRAINT latchkey_log_end_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.latchkey_log
    ADD CONSTRAINT latchkey_log_key_key UNIQUE (key);
ALTER TABLE ONLY public.latchkey_log
    ADD CONSTRAINT latchkey_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_schema
    ADD CONSTRAINT latchkey_schema_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.latchkey_users
    ADD CONSTRAINT latchkey_users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_users
    ADD CONSTRAINT latchkey_users_username_key UNIQUE (username);
CREATE INDEX latchkey_log_by_time ON public.latchkey_log USING btree (at);
CREATE INDEX latchkey_log_by_type ON public.latchkey_log USING btree (type, id);
CREATE TRIGGER latchkey_note_removal AFTER DELETE OR TRUNCATE ON public.latchkey_users FOR EACH STATEMENT EXECUTE FUNCTION public.latchkey_note_removal();
CREATE TRIGGER latchkey_note_user AFTER INSERT ON public.latchkey_users FOR EACH STATEMENT EXECUTE FUNCTION public.latchkey_note_user();
CREATE TRIGGER latchkey_tell_user AFTER DELETE OR UPDATE ON public.latchkey_users FOR EACH ROW EXECUTE FUNCTION public.latchkey_tell_user();
