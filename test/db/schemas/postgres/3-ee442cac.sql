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
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.latchkey_answers (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);
CREATE TABLE public.latchkey_app_icons (
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.latchkey_app_secrets (
    id text NOT NULL COLLATE pg_catalog."C",
    app_id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    ending text COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
CREATE TABLE public.latchkey_app_uses (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    app_id text NOT NULL COLLATE pg_catalog."C",
    opened_at bigint,
    device text COLLATE pg_catalog."C",
    days text COLLATE pg_catalog."C",
    refused_at bigint,
    refused_uri text COLLATE pg_catalog."C"
);
CREATE TABLE public.latchkey_apps (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    section text COLLATE pg_catalog."C",
    url text COLLATE pg_catalog."C",
    upstream text COLLATE pg_catalog."C",
    groups text COLLATE pg_catalog."C",
    factors bigint,
    client_type text COLLATE pg_catalog."C",
    redirects text COLLATE pg_catalog."C",
    sign_out_redirects text COLLATE pg_catalog."C",
    backchannel_url text COLLATE pg_catalog."C",
    consent bigint,
    signing text COLLATE pg_catalog."C",
    off bigint,
    created_at bigint NOT NULL
);
CREATE UNLOGGED TABLE public.latchkey_attempts (
    address text NOT NULL,
    made timestamp with time zone[] NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.latchkey_codes (
    user_id text NOT NULL COLLATE pg_catalog."C",
    begun text COLLATE pg_catalog."C",
    secret text COLLATE pg_catalog."C",
    last_step bigint NOT NULL,
    recovery text NOT NULL COLLATE pg_catalog."C",
    wrong bigint NOT NULL,
    renewals bigint
);
CREATE TABLE public.latchkey_consents (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    app_id text NOT NULL COLLATE pg_catalog."C",
    scopes text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
CREATE TABLE public.latchkey_devices (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    device text NOT NULL COLLATE pg_catalog."C",
    bound_to text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.latchkey_grants (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    app_id text NOT NULL COLLATE pg_catalog."C",
    session_id text COLLATE pg_catalog."C",
    sid text NOT NULL COLLATE pg_catalog."C",
    valid_up_to bigint NOT NULL,
    factors bigint NOT NULL,
    offline bigint,
    content text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.latchkey_handoffs (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    host text NOT NULL COLLATE pg_catalog."C",
    browser text NOT NULL COLLATE pg_catalog."C",
    session_id text COLLATE pg_catalog."C",
    signed_in_at bigint NOT NULL,
    sessions_from bigint NOT NULL,
    factors bigint NOT NULL,
    ends_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.latchkey_identities (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    label text COLLATE pg_catalog."C",
    added_at bigint NOT NULL,
    used_at bigint
);
CREATE TABLE public.latchkey_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    hosts text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint,
    used_at bigint,
    factors bigint
);
CREATE TABLE public.latchkey_links (
    id text NOT NULL COLLATE pg_catalog."C",
    token_hash text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL COLLATE pg_catalog."C",
    user_id text COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    groups text COLLATE pg_catalog."C",
    ends_at bigint,
    guest_seconds bigint,
    made_by text COLLATE pg_catalog."C",
    expires_at bigint NOT NULL,
    uses_left bigint NOT NULL,
    maker_id text COLLATE pg_catalog."C",
    maker_valid_up_to bigint,
    apps text COLLATE pg_catalog."C",
    email text COLLATE pg_catalog."C"
);
CREATE TABLE public.latchkey_log (
    id bigint NOT NULL,
    at bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    summary text NOT NULL COLLATE pg_catalog."C",
    author text NOT NULL COLLATE pg_catalog."C",
    user_id text COLLATE pg_catalog."C",
    subject text COLLATE pg_catalog."C",
    address text COLLATE pg_catalog."C",
    device text COLLATE pg_catalog."C",
    key uuid NOT NULL
);
CREATE TABLE public.latchkey_log_end (
    one boolean NOT NULL,
    id bigint NOT NULL,
    CONSTRAINT latchkey_log_end_one_check CHECK (one)
);
CREATE TABLE public.latchkey_outbox (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    user_id text COLLATE pg_catalog."C",
    content text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    due_at bigint,
    tries bigint NOT NULL,
    sent_at bigint,
    problem text COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);
CREATE TABLE public.latchkey_passkeys (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    counter bigint NOT NULL,
    added_at bigint NOT NULL,
    used_at bigint
);
CREATE TABLE public.latchkey_profiles (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    email text COLLATE pg_catalog."C",
    verified_email text COLLATE pg_catalog."C",
    locale text COLLATE pg_catalog."C"
);
CREATE TABLE public.latchkey_schema (
    one boolean NOT NULL,
    version integer NOT NULL,
    CONSTRAINT latchkey_schema_one_check CHECK (one)
);
CREATE TABLE public.latchkey_sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    used_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    address text NOT NULL COLLATE pg_catalog."C",
    device text NOT NULL COLLATE pg_catalog."C",
    ended_at bigint,
    host text COLLATE pg_catalog."C"
);
CREATE TABLE public.latchkey_setup_tokens (
    id text NOT NULL COLLATE pg_catalog."C",
    token text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.latchkey_sign_outs (
    id text NOT NULL COLLATE pg_catalog."C",
    app_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    sid text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL COLLATE pg_catalog."C",
    ended_at bigint,
    due_at bigint,
    tries bigint NOT NULL,
    acknowledged_at bigint,
    problem text COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);
CREATE TABLE public.latchkey_sign_ups (
    id text NOT NULL COLLATE pg_catalog."C",
    asker text NOT NULL COLLATE pg_catalog."C",
    username text NOT NULL COLLATE pg_catalog."C",
    password_hash text NOT NULL COLLATE pg_catalog."C",
    facts text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.latchkey_signing_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    algorithm text NOT NULL COLLATE pg_catalog."C",
    sealed text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    replaced_at bigint
);
CREATE TABLE public.latchkey_tokens (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    grant_id text COLLATE pg_catalog."C",
    user_code text COLLATE pg_catalog."C",
    content text NOT NULL COLLATE pg_catalog."C",
    consumed_at bigint,
    expires_at bigint NOT NULL
);
CREATE TABLE public.latchkey_used_names (
    id text NOT NULL COLLATE pg_catalog."C",
    holder text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint
);
CREATE TABLE public.latchkey_users (
    id text NOT NULL COLLATE pg_catalog."C",
    username text NOT NULL COLLATE pg_catalog."C",
    password_hash text NOT NULL COLLATE pg_catalog."C",
    sessions_from bigint,
    groups text COLLATE pg_catalog."C",
    ends_at bigint
);
INSERT INTO public.latchkey_answers VALUES ('N-F7CQBAt_PfKmJI8-INTA', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 1795445254718);
INSERT INTO public.latchkey_answers VALUES ('wGQNc3p8BQReL8lVoyhjyA', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 1795445254736);
INSERT INTO public.latchkey_app_icons VALUES ('photos/light', 'image/svg+xml', 'PHN2Zy8+');
INSERT INTO public.latchkey_app_secrets VALUES ('2f6b81c90d5ae374', 'photos', 'b7TqXw1nPzVf0cKdRy9LmJ5sHgUe3aNi8oQx2ZtEvBk', 'x7Qd', 1796048013000);
INSERT INTO public.latchkey_app_uses VALUES ('photos/3b683975-392a-4b1a-90a1-5ef5b80f3e19', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'photos', 1796134413000, 'Firefox', '20788:1', 1796048013000, 'https://photos.example.org/old');
INSERT INTO public.latchkey_apps VALUES ('files', 'Files', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1796048013000);
INSERT INTO public.latchkey_apps VALUES ('photos', 'Photos', 'Family', 'https://photos.example.org', 'http://127.0.0.1:2283', ',family,', 2, 'confidential', 'https://photos.example.org/auth/login app.immich:///oauth-callback', 'https://photos.example.org/', 'https://photos.example.org/logout', 1, 'ES256', NULL, 1796048013000);
INSERT INTO public.latchkey_attempts VALUES ('127.0.0.1', '{"2026-11-23 14:42:34.379799+00","2026-11-23 14:42:34.591409+00","2026-11-23 14:42:34.613626+00","2026-11-23 14:42:34.633886+00","2026-11-23 14:42:34.657038+00"}');
INSERT INTO public.latchkey_attempts VALUES ('passkey 127.0.0.9', '{"2026-11-23 14:42:34.743389+00"}');
INSERT INTO public.latchkey_attempts VALUES ('127.0.0.8', '{"2026-11-23 14:42:36.402924+00"}');
INSERT INTO public.latchkey_codes VALUES ('3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'SVczd1Cc3UohgLRwxxtlufvPTk-ftMBZ0dXqO-6qV38', NULL, 0, ',', 0, NULL);
INSERT INTO public.latchkey_codes VALUES ('1a498344-06e1-407c-bd9f-17672527e5df', NULL, 'kF3I2ECTk-GaCTtGXDtPwngO3vBoFlgP5jeWehqngxfSDoe6szQ90zjocF9nANAD', 59848165, ',g5OM2h1cwy6GuLal1rW40O_UyWEbP0zD80jITUzhGhI,-LOCqnBbgegWFRWgNoVNx5fmtf424p0JPgPxF0LHGq0,NhCBLcWkB5gTK8h5LVyZSGKIDSPPEsoKkwyHzSVAtjw,D0LRkSt3AeOn7a8-nYBzp7DFiQXccduu1cQrOYY40B8,b53Pr_lIHehq0ka9sSvXpndwqlM2K58yVMPHvH96J6g,Xz1M_-xz38g8upBBp7Byx9U8NEMiTk4TzG4ic8EqHF0,WA8MeXawtRHFhC_vJymHDVE5kWhADM5HJlEXnU7IDdY,UiEpRViZcbHGGY2Mrsd6TLQBFirRQ358s5-S1wPYwEc,68wwHQZQcfl7jdZ5cSSVqXoaKl0n_qbW91ACPWa1Tw0,6qmYRCsmOoGRCA_-swxOmj2qvT3tts1Pk796wCMxHA4,', 0, NULL);
INSERT INTO public.latchkey_consents VALUES ('photos/3b683975-392a-4b1a-90a1-5ef5b80f3e19', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'photos', 'openid profile', 1796134413000);
INSERT INTO public.latchkey_devices VALUES ('m0Rb3p2vKZ0nT4yqj0WcJxk2mW1h6sVfQ9uXo8aL7dE', '1a498344-06e1-407c-bd9f-17672527e5df', 1795444956500, 1798036956500, 'Firefox on Linux', 'Zk3v1yXo0bQn7mT2sLw9cJ4hR8gF6dA5eK1pU0iV3tY');
INSERT INTO public.latchkey_grants VALUES ('Vq3nYt7bKx0ZrCw5', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'photos', '6d0c2b9e41f7a853d0b1c2a3f4e5d697', 'pL8sWz2kQe6mTj4v', 1796048013, 2, NULL, '{"openid":{"scope":"openid profile"}}', 1796134413000, 1798726413000);
INSERT INTO public.latchkey_grants VALUES ('Hd9uMf1cRa4XgEo7', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'photos', '6d0c2b9e41f7a853d0b1c2a3f4e5d697', 'nB5yIk3jOq0xVl6h', 1796048013, 2, 1, '{"openid":{"scope":"openid profile"}}', 1796134413000, 1798726413000);
INSERT INTO public.latchkey_handoffs VALUES ('l9cT0QmVJ7xS4uXgk2PpZb1nRw6yYHcD8eFhAiKsMtE', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'photos.other.test', 'q3WbEvN5rTyUiOpA7sDfGhJkL1zXcVbNm0QwErTyUiO', '3c9bf8859947cdcec0c77c72d6b7283b', 1795444954000, 0, 1, 1798036954000, 1795445016000);
INSERT INTO public.latchkey_identities VALUES ('yH3kPz8wRt6nLq1bXc5gVj0sUf9eMd2aIo7iTrKxNvQ', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'google', 'https://accounts.google.com', '108734512', 'ada@example.org', 1796048013000, 1796134413000);
INSERT INTO public.latchkey_keys VALUES ('5f0c1d7f7d9e4a3b', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'feeds', '9nHNWbUTdpmnIPXSmWvLNrt1BdLXE4JYTyqHDDhcpxA', ',feeds.example.org,', 1795444956600, 1826980956600, NULL, NULL);
INSERT INTO public.latchkey_keys VALUES ('91d3b7f04a6c2e85', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'vault', 'mB5tKc1yQe8ZrV2nXh7LpD0sGfU4aWjO9iTq3RxEzCk', NULL, 1795444956600, NULL, NULL, 2);
INSERT INTO public.latchkey_links VALUES ('5b0fd3f1c3a94e27', '2vsdUbGVb3XuUJkcM0KyV1rk5W6nK8zqTFV0e1W9c3M', 'invite', NULL, 'bob', ',family,', NULL, NULL, NULL, 1796048013000, 1, NULL, NULL, NULL, NULL);
INSERT INTO public.latchkey_links VALUES ('7c1e40a2b95d3f68', 'Q0pM7sXn2k3yVb1cRzL9wTfA8uJ4hE6dGiK5oPqWxYs', 'reset', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'owner', NULL, NULL, NULL, 'owner', 1796048013000, 1, '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 1795443000, NULL, NULL);
INSERT INTO public.latchkey_links VALUES ('3b9d5f2e81c7a046', 'hU8kPz2wYt5nLq0bXc7gVj1sRf4eMd9aIo3iTrKxNyQ', 'guest', NULL, 'Aunt', ',family,', NULL, 86400, NULL, 1796825613000, 1, NULL, NULL, ',photos,', NULL);
INSERT INTO public.latchkey_links VALUES ('8c1e6a4f90b2d357', 'qT7vKz4wYn2mLs9bXe5gRj8uPf1hMd3aCo6iNtVxByE', 'invite', NULL, NULL, NULL, NULL, NULL, NULL, 1796825613000, 1, NULL, NULL, NULL, 'bob@example.org');
INSERT INTO public.latchkey_log VALUES (1, 1795444954368, 'signup', 'Created account owner', 'system', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'owner', '127.0.0.1', '', '2f14edf6-3d57-4423-9656-c1f0d3f1b4a9');
INSERT INTO public.latchkey_log VALUES (2, 1795444954396, 'signin', 'Signed in as owner', 'system', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'owner', '127.0.0.1', '', '20774156-ccc6-40fd-9cf7-8e5b8f15ff4d');
INSERT INTO public.latchkey_log VALUES (3, 1795444954533, 'password_change', 'Changed password', 'system', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'owner', '127.0.0.1', '', 'bd311b7a-e708-4c85-9cbb-ac7190d46b0c');
INSERT INTO public.latchkey_log VALUES (4, 1795444954675, 'signin_rate_limited', 'Rate limited login from 127.0.0.1', 'system', NULL, NULL, '127.0.0.1', '', 'f9b46062-91e6-4eea-9b0d-e899dad68461');
INSERT INTO public.latchkey_log VALUES (5, 1795444954679, 'signin_rate_limited', 'Rate limited login from 127.0.0.1', 'system', NULL, NULL, '127.0.0.1', '', '56059780-860e-449c-bea3-0c90990b1a08');
INSERT INTO public.latchkey_log VALUES (6, 1795444954734, 'passkey_add', 'Added a passkey to owner', 'system', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'owner', '127.0.0.9', '', 'bba99066-bca4-45b3-8a7a-6b1cbb13ab66');
INSERT INTO public.latchkey_log VALUES (7, 1795444954749, 'signin', 'Signed in as owner', 'system', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'owner', '127.0.0.9', '', '08d4c0aa-f18e-48c1-81ef-9ef1767c14f2');
INSERT INTO public.latchkey_log VALUES (8, 1795444954879, 'user_add', 'Added account guest', 'cli', '1a498344-06e1-407c-bd9f-17672527e5df', 'guest', NULL, NULL, '7fd65c2e-780e-4d14-bbfd-46f14b2d5439');
INSERT INTO public.latchkey_log VALUES (9, 1795444954896, 'user_sign_out', 'Ended the sessions of guest', 'cli', '1a498344-06e1-407c-bd9f-17672527e5df', 'guest', NULL, NULL, 'd8336453-ac5d-4274-ae30-1b43af67443a');
INSERT INTO public.latchkey_log VALUES (10, 1795444956418, 'signin', 'Signed in as guest', 'system', '1a498344-06e1-407c-bd9f-17672527e5df', 'guest', '127.0.0.8', '', '4b4dfbd1-c2e8-44f7-b192-14f333d77031');
INSERT INTO public.latchkey_log VALUES (11, 1795444956500, 'codes_on', 'Turned on one-time codes of guest', 'system', '1a498344-06e1-407c-bd9f-17672527e5df', 'guest', '127.0.0.9', '', '1ad51259-340a-4b33-b1aa-ab29556beff4');
INSERT INTO public.latchkey_log_end VALUES (true, 11);
INSERT INTO public.latchkey_outbox VALUES ('9a7c5e3b1f8d6042', 'mail', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'sealed', 1796048013000, 1796048013000, 2, NULL, 'status 421', 1796134413000);
INSERT INTO public.latchkey_outbox VALUES ('1d2f4b6a8c0e3579', 'webhook', NULL, NULL, 1796048013000, NULL, 1, 1796048013000, NULL, 1796134413000);
INSERT INTO public.latchkey_passkeys VALUES ('fGCTx7DZpPZ5FrpsBi8apg', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'Phone', 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEAgTKU84DAZ-FlVwGOoFScmH44pdF9ofPwPYihijoamP1vJttwEjvZE21uzeZhtisyZiY7bmf7qT1qyBPmjf0pQ', 0, 1795444954728, 1795444954746);
INSERT INTO public.latchkey_profiles VALUES ('3b683975-392a-4b1a-90a1-5ef5b80f3e19', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'Ada Example', 'Ada@example.org', 'ada@example.org', 'de');
INSERT INTO public.latchkey_schema VALUES (true, 3);
INSERT INTO public.latchkey_sessions VALUES ('3c9bf8859947cdcec0c77c72d6b7283b', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 1795444954000, 1795444954366, 1798036954000, '127.0.0.1', '', NULL, NULL);
INSERT INTO public.latchkey_sessions VALUES ('b541ffa0ffb8bfcdd9eb9280826941b1', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 1795444954000, 1795444954396, 1798036954000, '127.0.0.1', '', NULL, 'photos.other.test');
INSERT INTO public.latchkey_sessions VALUES ('d65ac3da4f2d4669c3b2bbf73d64361e', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 1795444954000, 1795444954749, 1798036954000, '127.0.0.9', '', 1795444954752, NULL);
INSERT INTO public.latchkey_sessions VALUES ('ba8c27ba492223cc8fd5c4c0dc037bc7', '1a498344-06e1-407c-bd9f-17672527e5df', 1795444956000, 1795444956418, 1798036956000, '127.0.0.8', '', NULL, NULL);
INSERT INTO public.latchkey_setup_tokens VALUES ('setup', 'w3Qm8rT1zLx0Vb5nHk7cJs9dYf2gPa4e');
INSERT INTO public.latchkey_sign_outs VALUES ('Vq3nYt7bKx0ZrCw5', 'photos', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'pL8sWz2kQe6mTj4v', 'https://photos.example.org/logout', 1796220813000, 1796307213000, 1, NULL, 'status 502', 1798812813000);
INSERT INTO public.latchkey_sign_ups VALUES ('5b7d9f1a3c5e7092', 'carol@example.org', 'carol', '$unset$', '{}', 1796048013000, 1798640013000);
INSERT INTO public.latchkey_signing_keys VALUES ('m4Xq', 'RS256', 'sealed', 1796048013000, NULL);
INSERT INTO public.latchkey_signing_keys VALUES ('r8Tn', 'ES256', 'sealed', 1796048013000, 1796134413000);
INSERT INTO public.latchkey_signing_keys VALUES ('w2Lc', 'EdDSA', 'sealed', 1796048013000, NULL);
INSERT INTO public.latchkey_tokens VALUES ('kR2dXz8vTn5qLw1bYc7gUj0sPf4hMe9aQo3iVtKxNyE', 'RefreshToken', 'Hd9uMf1cRa4XgEo7', NULL, '{"scope":"openid offline_access"}', 1796220813000, 1798726413000);
INSERT INTO public.latchkey_tokens VALUES ('wM6fBt1nZs9kCe4xRq7vHy3pJd0gLu5oTa8iXjKzQcW', 'DeviceCode', NULL, 'eT5rGx0nVm2kYb8wQs6dPz1cLj9hUf4aIo7iRtNvKyM', '{}', NULL, 1796220813000);
INSERT INTO public.latchkey_used_names VALUES ('hJg8YPfarcHLhphiH4AsDZ-aPDwpXIEHSPsEgRXBhuw', '1a498344-06e1-407c-bd9f-17672527e5df', NULL);
INSERT INTO public.latchkey_used_names VALUES ('TBApaX7jWHFdOhSirdgXxLAWUUQN6Ag3H3gWWskNxYE', '3b683975-392a-4b1a-90a1-5ef5b80f3e19', NULL);
INSERT INTO public.latchkey_users VALUES ('3b683975-392a-4b1a-90a1-5ef5b80f3e19', 'owner', '$argon2id$v=19$m=19456,t=2,p=1$NzwolAryzkCWiGSKsWqCbg$Fbd2njSFUtN48Br4NQfIoTyur21a7zQEF1ztzWXS/yU', NULL, ',admins,', NULL);
INSERT INTO public.latchkey_users VALUES ('1a498344-06e1-407c-bd9f-17672527e5df', 'guest', '$argon2id$v=19$m=19456,t=2,p=1$cMmxHRehNl+WtwdrTAVSJw$zqVaF4KKpaYSqriHlQHHDFTOGxJK6ygkf7W9e0p5lOg', 1795444955, NULL, NULL);
ALTER TABLE ONLY public.latchkey_answers
    ADD CONSTRAINT latchkey_answers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_app_icons
    ADD CONSTRAINT latchkey_app_icons_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_app_secrets
    ADD CONSTRAINT latchkey_app_secrets_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.latchkey_app_secrets
    ADD CONSTRAINT latchkey_app_secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_app_uses
    ADD CONSTRAINT latchkey_app_uses_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_apps
    ADD CONSTRAINT latchkey_apps_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_attempts
    ADD CONSTRAINT latchkey_attempts_pkey PRIMARY KEY (address);
ALTER TABLE ONLY public.latchkey_codes
    ADD CONSTRAINT latchkey_codes_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.latchkey_consents
    ADD CONSTRAINT latchkey_consents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_devices
    ADD CONSTRAINT latchkey_devices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_grants
    ADD CONSTRAINT latchkey_grants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_handoffs
    ADD CONSTRAINT latchkey_handoffs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_identities
    ADD CONSTRAINT latchkey_identities_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_keys
    ADD CONSTRAINT latchkey_keys_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.latchkey_keys
    ADD CONSTRAINT latchkey_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_links
    ADD CONSTRAINT latchkey_links_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_links
    ADD CONSTRAINT latchkey_links_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.latchkey_log_end
    ADD CONSTRAINT latchkey_log_end_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.latchkey_log
    ADD CONSTRAINT latchkey_log_key_key UNIQUE (key);
ALTER TABLE ONLY public.latchkey_log
    ADD CONSTRAINT latchkey_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_outbox
    ADD CONSTRAINT latchkey_outbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_passkeys
    ADD CONSTRAINT latchkey_passkeys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_profiles
    ADD CONSTRAINT latchkey_profiles_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_profiles
    ADD CONSTRAINT latchkey_profiles_verified_email_key UNIQUE (verified_email);
ALTER TABLE ONLY public.latchkey_schema
    ADD CONSTRAINT latchkey_schema_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.latchkey_sessions
    ADD CONSTRAINT latchkey_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_setup_tokens
    ADD CONSTRAINT latchkey_setup_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_sign_outs
    ADD CONSTRAINT latchkey_sign_outs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_sign_ups
    ADD CONSTRAINT latchkey_sign_ups_asker_key UNIQUE (asker);
ALTER TABLE ONLY public.latchkey_sign_ups
    ADD CONSTRAINT latchkey_sign_ups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_signing_keys
    ADD CONSTRAINT latchkey_signing_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_tokens
    ADD CONSTRAINT latchkey_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_used_names
    ADD CONSTRAINT latchkey_used_names_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_users
    ADD CONSTRAINT latchkey_users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.latchkey_users
    ADD CONSTRAINT latchkey_users_username_key UNIQUE (username);
CREATE INDEX latchkey_answers_by_expires_at ON public.latchkey_answers USING btree (expires_at);
CREATE INDEX latchkey_answers_by_user_id ON public.latchkey_answers USING btree (user_id);
CREATE INDEX latchkey_app_secrets_by_app_id ON public.latchkey_app_secrets USING btree (app_id);
CREATE INDEX latchkey_app_uses_by_app_id_opened_at ON public.latchkey_app_uses USING btree (app_id, opened_at);
CREATE INDEX latchkey_app_uses_by_app_id_refused_at ON public.latchkey_app_uses USING btree (app_id, refused_at);
CREATE INDEX latchkey_app_uses_by_user_id ON public.latchkey_app_uses USING btree (user_id);
CREATE INDEX latchkey_consents_by_app_id ON public.latchkey_consents USING btree (app_id);
CREATE INDEX latchkey_consents_by_user_id ON public.latchkey_consents USING btree (user_id);
CREATE INDEX latchkey_devices_by_expires_at ON public.latchkey_devices USING btree (expires_at);
CREATE INDEX latchkey_devices_by_user_id ON public.latchkey_devices USING btree (user_id);
CREATE INDEX latchkey_grants_by_app_id ON public.latchkey_grants USING btree (app_id);
CREATE INDEX latchkey_grants_by_expires_at ON public.latchkey_grants USING btree (expires_at);
CREATE INDEX latchkey_grants_by_session_id ON public.latchkey_grants USING btree (session_id);
CREATE INDEX latchkey_grants_by_user_id ON public.latchkey_grants USING btree (user_id);
CREATE INDEX latchkey_handoffs_by_expires_at ON public.latchkey_handoffs USING btree (expires_at);
CREATE INDEX latchkey_handoffs_by_user_id ON public.latchkey_handoffs USING btree (user_id);
CREATE INDEX latchkey_identities_by_user_id ON public.latchkey_identities USING btree (user_id);
CREATE INDEX latchkey_keys_by_user_id ON public.latchkey_keys USING btree (user_id);
CREATE INDEX latchkey_links_by_expires_at ON public.latchkey_links USING btree (expires_at);
CREATE INDEX latchkey_links_by_user_id ON public.latchkey_links USING btree (user_id);
CREATE INDEX latchkey_log_by_at ON public.latchkey_log USING btree (at);
CREATE INDEX latchkey_log_by_type_id ON public.latchkey_log USING btree (type, id);
CREATE INDEX latchkey_log_by_user_id_id ON public.latchkey_log USING btree (user_id, id);
CREATE INDEX latchkey_outbox_by_due_at ON public.latchkey_outbox USING btree (due_at);
CREATE INDEX latchkey_outbox_by_expires_at ON public.latchkey_outbox USING btree (expires_at);
CREATE INDEX latchkey_passkeys_by_user_id ON public.latchkey_passkeys USING btree (user_id);
CREATE INDEX latchkey_profiles_by_user_id ON public.latchkey_profiles USING btree (user_id);
CREATE INDEX latchkey_sessions_by_expires_at ON public.latchkey_sessions USING btree (expires_at);
CREATE INDEX latchkey_sessions_by_user_id_used_at ON public.latchkey_sessions USING btree (user_id, used_at);
CREATE INDEX latchkey_sign_outs_by_app_id ON public.latchkey_sign_outs USING btree (app_id);
CREATE INDEX latchkey_sign_outs_by_due_at ON public.latchkey_sign_outs USING btree (due_at);
CREATE INDEX latchkey_sign_outs_by_expires_at ON public.latchkey_sign_outs USING btree (expires_at);
CREATE INDEX latchkey_sign_outs_by_user_id ON public.latchkey_sign_outs USING btree (user_id);
CREATE INDEX latchkey_sign_ups_by_created_at ON public.latchkey_sign_ups USING btree (created_at);
CREATE INDEX latchkey_sign_ups_by_expires_at ON public.latchkey_sign_ups USING btree (expires_at);
CREATE INDEX latchkey_tokens_by_expires_at ON public.latchkey_tokens USING btree (expires_at);
CREATE INDEX latchkey_tokens_by_grant_id ON public.latchkey_tokens USING btree (grant_id);
CREATE INDEX latchkey_tokens_by_user_code ON public.latchkey_tokens USING btree (user_code);
CREATE INDEX latchkey_used_names_by_expires_at ON public.latchkey_used_names USING btree (expires_at);
CREATE INDEX latchkey_users_by_ends_at ON public.latchkey_users USING btree (ends_at);
ALTER TABLE ONLY public.latchkey_answers
    ADD CONSTRAINT latchkey_answers_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_app_uses
    ADD CONSTRAINT latchkey_app_uses_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_codes
    ADD CONSTRAINT latchkey_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_consents
    ADD CONSTRAINT latchkey_consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_devices
    ADD CONSTRAINT latchkey_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_grants
    ADD CONSTRAINT latchkey_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_handoffs
    ADD CONSTRAINT latchkey_handoffs_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_identities
    ADD CONSTRAINT latchkey_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_keys
    ADD CONSTRAINT latchkey_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_links
    ADD CONSTRAINT latchkey_links_maker_id_fkey FOREIGN KEY (maker_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_links
    ADD CONSTRAINT latchkey_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_passkeys
    ADD CONSTRAINT latchkey_passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_profiles
    ADD CONSTRAINT latchkey_profiles_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.latchkey_sessions
    ADD CONSTRAINT latchkey_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.latchkey_users(id) ON DELETE CASCADE;
