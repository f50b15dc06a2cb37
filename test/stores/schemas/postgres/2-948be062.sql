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
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
   BEGIN
     EXECUTE format('DELETE FROM %1$I.latchkey_configured
       WHERE NOT EXISTS (SELECT FROM %1$I.latchkey_users)', TG_TABLE_SCHEMA);
     IF TG_OP = 'TRUNCATE' THEN PERFORM pg_notify('latchkey_users', 'all'); END IF;
     RETURN NULL;
   END $_$;
CREATE FUNCTION public.latchkey_note_user() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
   BEGIN
     EXECUTE format('INSERT INTO %I.latchkey_configured VALUES (true) ON CONFLICT DO NOTHING',
       TG_TABLE_SCHEMA);
     RETURN NULL;
   END $$;
CREATE FUNCTION public.latchkey_tell_user() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
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
INSERT INTO public.latchkey_attempts VALUES ('127.0.0.1', '{"2026-11-22 18:33:11.871921+00"}');
INSERT INTO public.latchkey_configured VALUES (true);
INSERT INTO public.latchkey_import_mark VALUES (true, '{"source":"sqlite:/srv/latchkey/old.db","users":2,"entries":6,"userId":"debea7a7-6af7-47a5-926c-9c0d3b34b7cc","entryId":6,"lastEntryId":6,"state":"finished"}');
INSERT INTO public.latchkey_log VALUES (1, '5146772d-6bf9-4a4d-83af-01fe01c40363', '2026-11-22 18:31:25.581+00', 'signup', 'Created account owner', 'system');
INSERT INTO public.latchkey_log VALUES (2, '53f3a54d-8476-4809-bfb1-070fced1c17e', '2026-11-22 18:31:25.65+00', 'signin', 'Signed in as owner', 'system');
INSERT INTO public.latchkey_log VALUES (3, '94819818-7d79-4a92-8ec2-bc14d4769c65', '2026-11-22 18:31:25.748+00', 'password_change', 'Changed password', 'system');
INSERT INTO public.latchkey_log VALUES (4, 'c10d490e-8a15-4eda-9c22-a8966d2486b6', '2026-11-22 18:31:26.132+00', 'signin_rate_limited', 'Rate limited login from 127.0.0.1', 'system');
INSERT INTO public.latchkey_log VALUES (5, '429cf299-e0ec-443b-a208-fbe006f64c97', '2026-11-22 18:31:52.812+00', 'user_add', 'Added account guest', 'cli');
INSERT INTO public.latchkey_log VALUES (6, '49e12a6d-992a-4b05-877c-12c1c16f79d8', '2026-11-22 18:31:53.19+00', 'user_sign_out', 'Ended the sessions of guest', 'cli');
INSERT INTO public.latchkey_log VALUES (7, '2f2a4608-48e8-4d2a-bfe3-51758adedaa6', '2026-11-22 18:33:11.924+00', 'signin', 'Signed in as owner', 'system');
INSERT INTO public.latchkey_log_end VALUES (true, 7);
INSERT INTO public.latchkey_schema VALUES (true, 2);
INSERT INTO public.latchkey_users VALUES ('a80388bf-730d-4f80-bf07-0feba94247d7', 'owner', '$argon2id$v=19$m=19456,t=2,p=1$7fP93zS1OL9g+NXOcTqYjA$JFnvvJF4DTRBz7zWBRR9Pncd5d/yPYM3HJxJyFu5g4s', NULL);
INSERT INTO public.latchkey_users VALUES ('debea7a7-6af7-47a5-926c-9c0d3b34b7cc', 'guest', '$argon2id$v=19$m=19456,t=2,p=1$M+0Xxri0hCJMUdoZ0ZXLrg$FCz75TdTos0jN7q4VArTbQc7EBUzISedvmwxtbH6zKo', 1795372314);
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
