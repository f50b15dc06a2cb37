PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE users (
     id TEXT PRIMARY KEY,
     username TEXT NOT NULL UNIQUE,
     password_hash TEXT NOT NULL
   ) STRICT;
INSERT INTO users VALUES('a3cf2e58-d2b1-4730-9b33-053da3dbee91','owner','$argon2id$v=19$m=19456,t=2,p=1$e+3dDnGNQWLXHJyJnfXOHg$FpUZp0eKOnddriTIT0LlSPqwOUS5PqGAYUhh6/VG2aM');
CREATE TABLE log_entries (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     type TEXT NOT NULL,
     summary TEXT NOT NULL,
     author TEXT NOT NULL
   ) STRICT;
INSERT INTO log_entries VALUES(1,1795372388970,'signup','Created account owner','system');
INSERT INTO log_entries VALUES(2,1795372389073,'signin','Signed in as owner','system');
INSERT INTO log_entries VALUES(3,1795372389132,'password_change','Changed password','system');
INSERT INTO log_entries VALUES(4,1795372389442,'signin_rate_limited','Rate limited login from 127.0.0.1','system');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('log_entries',4);
CREATE INDEX log_entries_by_time ON log_entries (at);
CREATE INDEX log_entries_by_type ON log_entries (type, id);
COMMIT;
PRAGMA user_version=1;
