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
CREATE TABLE public.latchkey_sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    address text NOT NULL,
    device text NOT NULL
);
CREATE TABLE public.latchkey_users (
    id text NOT NULL COLLATE pg_catalog."C",
    username text NOT NULL COLLATE pg_catalog."C",
    password_hash text NOT NULL,
    sessions_from bigint,
    ended_sessions text,
    codes text,
    passkeys text
);
INSERT INTO public.latchkey_attempts VALUES ('127.0.0.1', '{"2026-11-22 18:36:08.809961+00"}');
INSERT INTO public.latchkey_configured VALUES (true);
INSERT INTO public.latchkey_log VALUES (1, 'bc1301e7-4e85-456b-ae0e-28ce76013e78', '2026-11-22 18:33:47.744+00', 'signup', 'Created account owner', 'system');
INSERT INTO public.latchkey_log VALUES (2, 'c53b4182-3b4d-437c-b23a-66b0360ce5a3', '2026-11-22 18:33:47.785+00', 'signin', 'Signed in as owner', 'system');
INSERT INTO public.latchkey_log VALUES (3, 'a4e71c29-dd7f-466a-a313-43b712ac10d3', '2026-11-22 18:33:47.928+00', 'password_change', 'Changed password', 'system');
INSERT INTO public.latchkey_log VALUES (4, '6c12ce02-b8ae-4987-992f-37d8f4c1ebd4', '2026-11-22 18:33:48.013+00', 'signin_rate_limited', 'Rate limited login from 127.0.0.1', 'system');
INSERT INTO public.latchkey_log VALUES (5, '555fd9ab-58d6-4f00-a491-67c7a1d2bb08', '2026-11-22 18:33:48.043+00', 'passkey_add', 'Added a passkey to owner', 'system');
INSERT INTO public.latchkey_log VALUES (6, '60aa2ab4-2e9d-4b45-910f-45a7f5770f58', '2026-11-22 18:33:48.401+00', 'user_add', 'Added account guest', 'cli');
INSERT INTO public.latchkey_log VALUES (7, 'a3ae6ff5-b7d8-477c-9526-35e6eaa808bb', '2026-11-22 18:33:48.42+00', 'user_sign_out', 'Ended the sessions of guest', 'cli');
INSERT INTO public.latchkey_log VALUES (8, '8ae51580-e0f8-478c-83b0-e3ef8f3fdd07', '2026-11-22 18:33:48.477+00', 'signin', 'Signed in as guest', 'system');
INSERT INTO public.latchkey_log VALUES (9, '371f891d-aa72-431b-b89e-34f41224e8e9', '2026-11-22 18:33:48.531+00', 'codes_on', 'Turned on one-time codes of guest', 'system');
INSERT INTO public.latchkey_log VALUES (10, 'a5707977-a7ec-4a0a-bfd0-8238531f22e4', '2026-11-22 18:36:07.361+00', 'session_end', 'Ended a session of owner', 'cli');
INSERT INTO public.latchkey_log VALUES (11, '6b7b8c96-a873-40ae-bb5a-cbf93daa7e77', '2026-11-22 18:36:08.822+00', 'signin', 'Signed in as owner', 'system');
INSERT INTO public.latchkey_log_end VALUES (true, 11);
INSERT INTO public.latchkey_schema VALUES (true, 4);
INSERT INTO public.latchkey_sessions VALUES ('29caecf585107f1ca54d67052b0478af', '741c3935-d892-4ef9-b346-dc8ef33fd30e', '2026-11-22 18:33:47.741+00', '2026-11-22 18:33:47.741+00', '2026-12-22 18:33:47.741+00', '127.0.0.1', '');
INSERT INTO public.latchkey_sessions VALUES ('8ef20490b69c0404bf5c348d18af8a74', '80cdac2a-b1bc-48f1-9db6-8e14c9c6585d', '2026-11-22 18:33:48.477+00', '2026-11-22 18:33:48.477+00', '2026-12-22 18:33:48.477+00', '127.0.0.1', '');
INSERT INTO public.latchkey_sessions VALUES ('9bfdc1981006c72104b57ec65e77ebd4', '741c3935-d892-4ef9-b346-dc8ef33fd30e', '2026-11-22 18:36:08.822+00', '2026-11-22 18:36:08.822+00', '2026-12-22 18:36:08.822+00', '127.0.0.1', 'curl');
INSERT INTO public.latchkey_users VALUES ('741c3935-d892-4ef9-b346-dc8ef33fd30e', 'owner', '$argon2id$v=19$m=19456,t=2,p=1$u1yiVy9pEtBPvUl4UyJ90g$c9tr9Q5PAU0pKfldlmap6/X0ZQDQ2jlrHoMwpL3Xfsk', NULL, '[["af37c9024e63cd127381a7b49b021c02",1797964428]]', NULL, '[{"id":"VKzekX5BWRsuHQqBvr3SNw","name":"Phone","key":"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENaPHAJVKnwjlq78Yh9l3c3gmgHvSdM_jLCpKSDdBdd0xkbild8DvagfnPfSUnGSRQUqGCyhcVMt_RqTEBK7gGQ","counter":0,"addedAt":1795372428042,"answered":[{"nonce":"8P-0ArgTAAuAxPtY_WnGsw","expiresAt":1795372728036}]}]');
INSERT INTO public.latchkey_users VALUES ('80cdac2a-b1bc-48f1-9db6-8e14c9c6585d', 'guest', '$argon2id$v=19$m=19456,t=2,p=1$/3kgpl9l4pk4XGdysrWOlQ$W6yR/8Kw7ovxKs4D6MGURU+fhflbqvsMeVPkpP6Fzec', 1795372429, NULL, '{"secret":"PyT72LpzP23pWboJIh19WSqXx7L5gTA2ZJymOZZDI_sgGALx-Hcmi-6NHBivrm0r","lastStep":59845747,"recovery":["mfc-L7Xt5lWaM0io9xY-JybrCU_8JlKACuXBU_s8cT4","xWGm7aCtV5XbFJY0dbpxiTeRBueKdU2OeaTXiVRbr_Y","CYCOUiB9j9-N1azHNhqMFWq3ZSPbX4mMxm9MpNMO-cI","gekk1AlK-gd8PiXkef-Y35BuhpWHIewOkXwzU2M6yNo","0uidTZw6wq13hM6bFbvuUO8Lft2QYc7JjxZw4LQmQTQ","U8p1pFptmQbeiyHbw3u1D17NY6wT_a7kRfrdF_MltIc","Cr_gNKw9hPibw8m3ZpOaLytf79x5fvRcetp4JuN9sKs","JsxIo6F1C_Hav9oVRsMZybz1fgRXYD4lQzZYhUTSB9I","ZCEk89g1GV15hDNg2UTo6Zd2vhH7Et3YqkyJPNDH_kM","R68329LIk8E4k_mxyhbqcuiprvXvRHdaB0Nv8mx8VVk"]}', NULL);
ALTER TABLE ONLY public.latchkey_attempts
    ADD CONSTRAINT latchkey_attempts_pkey PRIMARY KEY (address);
ALTER TABLE ONLY public.latchkey_configured
    ADD CONSTRAINT latchkey_configured_pkey PRIMARY KEY (yes);
ALTER TABLE ONLY public.latchkey_log_end
    ADD CONSTRAINT latchkey_log_end_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.latchkey_log
    ADD CONSTRAINT latchkey_log_key_key UNIQUE (key);
ALTER TABLE ONLY public.latchkey_log
    ADD CONSTRAINT latchkey_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_schema
    ADD CONSTRAINT latchkey_schema_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.latchkey_sessions
    ADD CONSTRAINT latchkey_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_users
    ADD CONSTRAINT latchkey_users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_users
    ADD CONSTRAINT latchkey_users_username_key UNIQUE (username);
CREATE INDEX latchkey_log_by_time ON public.latchkey_log USING btree (at);
CREATE INDEX latchkey_log_by_type ON public.latchkey_log USING btree (type, id);
CREATE INDEX latchkey_sessions_by_end ON public.latchkey_sessions USING btree (expires_at);
CREATE INDEX latchkey_sessions_by_user ON public.latchkey_sessions USING btree (user_id, used_at);
CREATE INDEX latchkey_users_with_codes ON public.latchkey_users USING btree (id) WHERE (codes IS NOT NULL);
CREATE INDEX latchkey_users_with_passkeys ON public.latchkey_users USING btree (id) WHERE (passkeys IS NOT NULL);
CREATE TRIGGER latchkey_note_removal AFTER DELETE OR TRUNCATE ON public.latchkey_users FOR EACH STATEMENT EXECUTE FUNCTION public.latchkey_note_removal();
CREATE TRIGGER latchkey_note_user AFTER INSERT ON public.latchkey_users FOR EACH STATEMENT EXECUTE FUNCTION public.latchkey_note_user();
CREATE TRIGGER latchkey_tell_user AFTER DELETE OR UPDATE ON public.latchkey_users FOR EACH ROW EXECUTE FUNCTION public.latchkey_tell_user();
ALTER TABLE ONLY public.latchkey_sessions
    ADD CONSTRAINT latchkey_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON UPDATE CASCADE ON DELETE CASCADE;
