PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE users (
     id TEXT PRIMARY KEY,
     username TEXT NOT NULL UNIQUE,
     password_hash TEXT NOT NULL
   , sessions_from INTEGER, ended_sessions TEXT, codes TEXT, passkeys TEXT) STRICT;
INSERT INTO users VALUES('741c3935-d892-4ef9-b346-dc8ef33fd30e','owner','$argon2id$v=19$m=19456,t=2,p=1$u1yiVy9pEtBPvUl4UyJ90g$c9tr9Q5PAU0pKfldlmap6/X0ZQDQ2jlrHoMwpL3Xfsk',NULL,'[["af37c9024e63cd127381a7b49b021c02",1797964428]]',NULL,'[{"id":"VKzekX5BWRsuHQqBvr3SNw","name":"Phone","key":"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENaPHAJVKnwjlq78Yh9l3c3gmgHvSdM_jLCpKSDdBdd0xkbild8DvagfnPfSUnGSRQUqGCyhcVMt_RqTEBK7gGQ","counter":0,"addedAt":1795372428042,"answered":[{"nonce":"8P-0ArgTAAuAxPtY_WnGsw","expiresAt":1795372728036}]}]');
INSERT INTO users VALUES('80cdac2a-b1bc-48f1-9db6-8e14c9c6585d','guest','$argon2id$v=19$m=19456,t=2,p=1$/3kgpl9l4pk4XGdysrWOlQ$W6yR/8Kw7ovxKs4D6MGURU+fhflbqvsMeVPkpP6Fzec',1795372429,NULL,'{"secret":"PyT72LpzP23pWboJIh19WSqXx7L5gTA2ZJymOZZDI_sgGALx-Hcmi-6NHBivrm0r","lastStep":59845747,"recovery":["mfc-L7Xt5lWaM0io9xY-JybrCU_8JlKACuXBU_s8cT4","xWGm7aCtV5XbFJY0dbpxiTeRBueKdU2OeaTXiVRbr_Y","CYCOUiB9j9-N1azHNhqMFWq3ZSPbX4mMxm9MpNMO-cI","gekk1AlK-gd8PiXkef-Y35BuhpWHIewOkXwzU2M6yNo","0uidTZw6wq13hM6bFbvuUO8Lft2QYc7JjxZw4LQmQTQ","U8p1pFptmQbeiyHbw3u1D17NY6wT_a7kRfrdF_MltIc","Cr_gNKw9hPibw8m3ZpOaLytf79x5fvRcetp4JuN9sKs","JsxIo6F1C_Hav9oVRsMZybz1fgRXYD4lQzZYhUTSB9I","ZCEk89g1GV15hDNg2UTo6Zd2vhH7Et3YqkyJPNDH_kM","R68329LIk8E4k_mxyhbqcuiprvXvRHdaB0Nv8mx8VVk"]}',NULL);
CREATE TABLE log_entries (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     type TEXT NOT NULL,
     summary TEXT NOT NULL,
     author TEXT NOT NULL
   ) STRICT;
INSERT INTO log_entries VALUES(1,1795372427744,'signup','Created account owner','system');
INSERT INTO log_entries VALUES(2,1795372427785,'signin','Signed in as owner','system');
INSERT INTO log_entries VALUES(3,1795372427928,'password_change','Changed password','system');
INSERT INTO log_entries VALUES(4,1795372428013,'signin_rate_limited','Rate limited login from 127.0.0.1','system');
INSERT INTO log_entries VALUES(5,1795372428043,'passkey_add','Added a passkey to owner','system');
INSERT INTO log_entries VALUES(6,1795372428401,'user_add','Added account guest','cli');
INSERT INTO log_entries VALUES(7,1795372428420,'user_sign_out','Ended the sessions of guest','cli');
INSERT INTO log_entries VALUES(8,1795372428477,'signin','Signed in as guest','system');
INSERT INTO log_entries VALUES(9,1795372428531,'codes_on','Turned on one-time codes of guest','system');
INSERT INTO log_entries VALUES(10,1795372567361,'session_end','Ended a session of owner','cli');
CREATE TABLE sessions (
     id TEXT PRIMARY KEY,
     user_id TEXT NOT NULL REFERENCES users (id) ON UPDATE CASCADE ON DELETE CASCADE,
     created_at INTEGER NOT NULL,
     used_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     address TEXT NOT NULL,
     device TEXT NOT NULL
   ) STRICT;
INSERT INTO sessions VALUES('29caecf585107f1ca54d67052b0478af','741c3935-d892-4ef9-b346-dc8ef33fd30e',1795372427741,1795372427741,1797964427741,'127.0.0.1','');
INSERT INTO sessions VALUES('8ef20490b69c0404bf5c348d18af8a74','80cdac2a-b1bc-48f1-9db6-8e14c9c6585d',1795372428477,1795372428477,1797964428477,'127.0.0.1','');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('log_entries',10);
CREATE INDEX log_entries_by_time ON log_entries (at);
CREATE INDEX log_entries_by_type ON log_entries (type, id);
CREATE INDEX users_with_codes ON users (id) WHERE codes IS NOT NULL;
CREATE INDEX users_with_passkeys ON users (id) WHERE passkeys IS NOT NULL;
CREATE INDEX sessions_by_user ON sessions (user_id, used_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);
COMMIT;
PRAGMA user_version=4;
