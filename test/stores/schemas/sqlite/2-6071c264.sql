PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE users (
     id TEXT PRIMARY KEY,
     username TEXT NOT NULL UNIQUE,
     password_hash TEXT NOT NULL
   , sessions_from INTEGER) STRICT;
INSERT INTO users VALUES('a80388bf-730d-4f80-bf07-0feba94247d7','owner','$argon2id$v=19$m=19456,t=2,p=1$7fP93zS1OL9g+NXOcTqYjA$JFnvvJF4DTRBz7zWBRR9Pncd5d/yPYM3HJxJyFu5g4s',NULL);
INSERT INTO users VALUES('debea7a7-6af7-47a5-926c-9c0d3b34b7cc','guest','$argon2id$v=19$m=19456,t=2,p=1$M+0Xxri0hCJMUdoZ0ZXLrg$FCz75TdTos0jN7q4VArTbQc7EBUzISedvmwxtbH6zKo',1795372314);
CREATE TABLE log_entries (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     type TEXT NOT NULL,
     summary TEXT NOT NULL,
     author TEXT NOT NULL
   ) STRICT;
INSERT INTO log_entries VALUES(1,1795372285581,'signup','Created account owner','system');
INSERT INTO log_entries VALUES(2,1795372285650,'signin','Signed in as owner','system');
INSERT INTO log_entries VALUES(3,1795372285748,'password_change','Changed password','system');
INSERT INTO log_entries VALUES(4,1795372286132,'signin_rate_limited','Rate limited login from 127.0.0.1','system');
INSERT INTO log_entries VALUES(5,1795372312812,'user_add','Added account guest','cli');
INSERT INTO log_entries VALUES(6,1795372313190,'user_sign_out','Ended the sessions of guest','cli');
CREATE TABLE import_mark (one INTEGER PRIMARY KEY CHECK (one = 1), mark TEXT NOT NULL) STRICT;
INSERT INTO import_mark VALUES(1,'{"source":"sqlite:/srv/latchkey/old.db","users":2,"entries":6,"userId":"debea7a7-6af7-47a5-926c-9c0d3b34b7cc","entryId":6,"lastEntryId":6,"state":"finished"}');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('log_entries',6);
CREATE INDEX log_entries_by_time ON log_entries (at);
CREATE INDEX log_entries_by_type ON log_entries (type, id);
COMMIT;
PRAGMA user_version=2;
