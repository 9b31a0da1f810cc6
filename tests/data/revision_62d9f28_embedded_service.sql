-- Written by revision 62d9f28 of Twindow, for tests/test_upgrade.py: the database of the embedded service.
-- Its `python app.py` ran on SQLite, a scripted model server replied, and a client without JavaScript
-- (tests/support/person.py) read its pages and submitted their forms.
-- Then the tables were dumped, in the order in which they can be created again; the full-text index
-- is rebuilt from its content. All secrets and ids were made for this file and are valid nowhere else.
BEGIN;
CREATE TABLE service_alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT service_alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE service_keys (
	id VARCHAR(32) NOT NULL,
	sub TEXT NOT NULL,
	name TEXT NOT NULL,
	scope VARCHAR(16) NOT NULL,
	prefix VARCHAR(16) NOT NULL,
	digest VARCHAR(64) NOT NULL,
	created_at FLOAT NOT NULL, expires_at FLOAT, last_used_at FLOAT, groups TEXT DEFAULT '[]' NOT NULL, revoked_at FLOAT,
	PRIMARY KEY (id)
);
CREATE TABLE service_requests (
	id INTEGER NOT NULL,
	key_id VARCHAR(32) NOT NULL,
	at FLOAT NOT NULL,
	PRIMARY KEY (id),
	FOREIGN KEY(key_id) REFERENCES service_keys (id) ON DELETE CASCADE
);
CREATE TABLE service_conversations (
	id VARCHAR(32) NOT NULL,
	sub TEXT NOT NULL,
	twin_id TEXT NOT NULL,
	title TEXT NOT NULL,
	created_at FLOAT NOT NULL,
	updated_at FLOAT NOT NULL,
	replying_until FLOAT NOT NULL,
	replying_to VARCHAR(32), stopping BOOLEAN DEFAULT 0 NOT NULL, replying_by VARCHAR(32),
	PRIMARY KEY (id)
);
CREATE TABLE service_messages (
	id VARCHAR(32) NOT NULL,
	conversation_id VARCHAR(32) NOT NULL,
	position INTEGER NOT NULL,
	role VARCHAR(16) NOT NULL,
	content TEXT NOT NULL,
	reply_to VARCHAR(32),
	created_at FLOAT NOT NULL, complete BOOLEAN DEFAULT 1 NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (conversation_id, position),
	FOREIGN KEY(conversation_id) REFERENCES service_conversations (id) ON DELETE CASCADE
);
CREATE TABLE service_presses (
	sub TEXT NOT NULL,
	"key" VARCHAR(255) NOT NULL,
	message_id VARCHAR(32) NOT NULL,
	at FLOAT NOT NULL,
	PRIMARY KEY (sub, "key"),
	FOREIGN KEY(message_id) REFERENCES service_messages (id) ON DELETE CASCADE
);
CREATE TABLE service_line (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	owner TEXT NOT NULL,
	round INTEGER NOT NULL,
	behind BOOLEAN NOT NULL,
	writing BOOLEAN NOT NULL,
	until FLOAT NOT NULL
);
INSERT INTO service_alembic_version (version_num) VALUES
('0006');
INSERT INTO service_keys (id, sub, name, scope, prefix, digest, created_at, expires_at, last_used_at, groups, revoked_at) VALUES
('juL-mwKIuMwKr0CP', 'portal', 'The portal', 'full_access', 'tw_rDVN7gRy', '156f6d524793a0c2f0193dfb47d13ca71b7a373cd3cb9249fcd39f1f880bbf72', 1.79557129921139359469e+09, NULL, 1.79557130002892875678e+09, '[]', NULL);
INSERT INTO service_keys (id, sub, name, scope, prefix, digest, created_at, expires_at, last_used_at, groups, revoked_at) VALUES
('DjxSdDov5_pGPodR', 'someone', 'mine', 'full_access', 'tw_RkxNtVku', '8fa0e6ee75da01d52d7bc29c9052bfbec0e3d80381ee6d05f5f00695a7f4785b', 1.79557130067636632917e+09, NULL, 1.79557130068148803714e+09, '[]', NULL);
INSERT INTO service_requests (id, key_id, at) VALUES
(1, 'juL-mwKIuMwKr0CP', 1.79557129952176809314e+09);
INSERT INTO service_requests (id, key_id, at) VALUES
(2, 'juL-mwKIuMwKr0CP', 1.79557129955681633948e+09);
INSERT INTO service_requests (id, key_id, at) VALUES
(3, 'juL-mwKIuMwKr0CP', 1.79557129957460665705e+09);
INSERT INTO service_requests (id, key_id, at) VALUES
(4, 'juL-mwKIuMwKr0CP', 1.79557129973678255077e+09);
INSERT INTO service_requests (id, key_id, at) VALUES
(5, 'juL-mwKIuMwKr0CP', 1.79557129976760840414e+09);
INSERT INTO service_requests (id, key_id, at) VALUES
(6, 'juL-mwKIuMwKr0CP', 1.79557129990815949444e+09);
INSERT INTO service_requests (id, key_id, at) VALUES
(7, 'juL-mwKIuMwKr0CP', 1.7955712999342942238e+09);
INSERT INTO service_requests (id, key_id, at) VALUES
(8, 'juL-mwKIuMwKr0CP', 1795571299.97584);
INSERT INTO service_requests (id, key_id, at) VALUES
(9, 'juL-mwKIuMwKr0CP', 1.79557129998458027842e+09);
INSERT INTO service_requests (id, key_id, at) VALUES
(10, 'juL-mwKIuMwKr0CP', 1.79557130001890516285e+09);
INSERT INTO service_requests (id, key_id, at) VALUES
(11, 'juL-mwKIuMwKr0CP', 1.79557130002892875678e+09);
INSERT INTO service_requests (id, key_id, at) VALUES
(12, 'DjxSdDov5_pGPodR', 1.79557130068148803714e+09);
INSERT INTO service_conversations (id, sub, twin_id, title, created_at, updated_at, replying_until, replying_to, stopping, replying_by) VALUES
('E7UKCc1lLlNnSk_wGltX5w', 'portal', 'ada', 'How does a candle burn?', 1.79557129955805230142e+09, 1.79557129999240422252e+09, 0.0, 'RdgcJYXmaAbKijzsDd-Ecw', 0, NULL);
INSERT INTO service_conversations (id, sub, twin_id, title, created_at, updated_at, replying_until, replying_to, stopping, replying_by) VALUES
('Zf2hmzc6OBezRbMpgz2dIA', 'portal', 'marlow', 'Tell me a story', 1.79557130002030205725e+09, 1.79557130003625321388e+09, 0.0, '4hA4C6c42ewT7eZcucSwnw', 0, NULL);
INSERT INTO service_conversations (id, sub, twin_id, title, created_at, updated_at, replying_until, replying_to, stopping, replying_by) VALUES
('y74wy_B_3JTQf-qpKyAr1A', 'someone', 'ada', '', 1.7955713006830585003e+09, 1.7955713006830585003e+09, 0.0, NULL, 0, NULL);
INSERT INTO service_messages (id, conversation_id, "position", role, content, reply_to, created_at, complete) VALUES
('cvRaN9aehmGlCcuGXIJ91g', 'E7UKCc1lLlNnSk_wGltX5w', 1, 'user', 'How does a candle burn?', NULL, 1.79557129957665586464e+09, 1);
INSERT INTO service_messages (id, conversation_id, "position", role, content, reply_to, created_at, complete) VALUES
('fEJGGqTUw4sg3Ht0JOf0og', 'E7UKCc1lLlNnSk_wGltX5w', 2, 'assistant', 'The flame melts the wax.', 'cvRaN9aehmGlCcuGXIJ91g', 1.79557129958846235272e+09, 1);
INSERT INTO service_messages (id, conversation_id, "position", role, content, reply_to, created_at, complete) VALUES
('RHrBa74_HzaWLGQQP0drfw', 'E7UKCc1lLlNnSk_wGltX5w', 3, 'user', 'And a lamp?', NULL, 1.79557129973790431023e+09, 1);
INSERT INTO service_messages (id, conversation_id, "position", role, content, reply_to, created_at, complete) VALUES
('kr_K9csbC-yWuRmhHGje8g', 'E7UKCc1lLlNnSk_wGltX5w', 4, 'assistant', 'It burns *oil*.', 'RHrBa74_HzaWLGQQP0drfw', 1.79557129974240827557e+09, 1);
INSERT INTO service_messages (id, conversation_id, "position", role, content, reply_to, created_at, complete) VALUES
('d_pQTUbPBxAXh78EmLKtcQ', 'E7UKCc1lLlNnSk_wGltX5w', 5, 'user', 'A long story', NULL, 1.79557129976869106298e+09, 1);
INSERT INTO service_messages (id, conversation_id, "position", role, content, reply_to, created_at, complete) VALUES
('ziX5kcYPtjaTG8t2_0dGjw', 'E7UKCc1lLlNnSk_wGltX5w', 6, 'assistant', 'Once upon a time ', 'd_pQTUbPBxAXh78EmLKtcQ', 1.7955712999099104404e+09, 0);
INSERT INTO service_messages (id, conversation_id, "position", role, content, reply_to, created_at, complete) VALUES
('RdgcJYXmaAbKijzsDd-Ecw', 'E7UKCc1lLlNnSk_wGltX5w', 7, 'user', 'Break', NULL, 1.79557129993542599673e+09, 1);
INSERT INTO service_messages (id, conversation_id, "position", role, content, reply_to, created_at, complete) VALUES
('F7ypzOJbDdD8APOK23D6CQ', 'E7UKCc1lLlNnSk_wGltX5w', 8, 'assistant', 'It works again.', 'RdgcJYXmaAbKijzsDd-Ecw', 1.79557129999260497088e+09, 1);
INSERT INTO service_messages (id, conversation_id, "position", role, content, reply_to, created_at, complete) VALUES
('4hA4C6c42ewT7eZcucSwnw', 'Zf2hmzc6OBezRbMpgz2dIA', 1, 'user', 'Tell me a story', NULL, 1.79557130003017044071e+09, 1);
INSERT INTO service_messages (id, conversation_id, "position", role, content, reply_to, created_at, complete) VALUES
('yFTycshGF38pAjB5_FALLA', 'Zf2hmzc6OBezRbMpgz2dIA', 2, 'assistant', 'No.', '4hA4C6c42ewT7eZcucSwnw', 1.79557130003645658497e+09, 1);
INSERT INTO service_presses (sub, "key", message_id, at) VALUES
('portal', 'z6pw9iykGP4LxiA-e6SarQ', 'cvRaN9aehmGlCcuGXIJ91g', 1.79557129957665586464e+09);
INSERT INTO service_presses (sub, "key", message_id, at) VALUES
('portal', 'jMHeQsHOdbiXKfHgZ7o-aw', 'RHrBa74_HzaWLGQQP0drfw', 1.79557129973790431023e+09);
INSERT INTO service_presses (sub, "key", message_id, at) VALUES
('portal', 'wB2_HVXyw1ZW4tF1W4L4FA', 'd_pQTUbPBxAXh78EmLKtcQ', 1.79557129976869106298e+09);
INSERT INTO service_presses (sub, "key", message_id, at) VALUES
('portal', 'LP-HupefnzaOU2EUs35psg', 'RdgcJYXmaAbKijzsDd-Ecw', 1.79557129993542599673e+09);
INSERT INTO service_presses (sub, "key", message_id, at) VALUES
('portal', 'rAGE7KTywLJ8Vf2AQI6vwg', '4hA4C6c42ewT7eZcucSwnw', 1.79557130003017044071e+09);
CREATE INDEX ix_service_keys_prefix ON service_keys (prefix);
CREATE INDEX service_requests_of_key ON service_requests (key_id, at);
CREATE INDEX service_conversations_of_sub ON service_conversations (sub, updated_at);
CREATE INDEX service_messages_by_reply_to ON service_messages (reply_to);
CREATE INDEX ix_service_presses_at ON service_presses (at);
CREATE INDEX service_keys_of_sub ON service_keys (sub);
CREATE INDEX service_conversations_by_reply ON service_conversations (replying_to);
CREATE INDEX service_conversations_by_holder ON service_conversations (replying_by);
COMMIT;
