-- Written by revision 62d9f28 of Twindow, for tests/test_upgrade.py: the portal's database, with the embedded service.
-- Its `python app.py` ran on SQLite, a scripted model server replied, and a client without JavaScript
-- (tests/support/person.py) read its pages and submitted their forms.
-- Then the tables were dumped, in the order in which they can be created again; the full-text index
-- is rebuilt from its content. All secrets and ids were made for this file and are valid nowhere else.
BEGIN;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE conversations (
	id VARCHAR(32) NOT NULL,
	person VARCHAR(64) NOT NULL,
	twin_id TEXT NOT NULL,
	twin_name TEXT NOT NULL,
	title TEXT NOT NULL,
	service_id TEXT,
	created_at FLOAT NOT NULL,
	updated_at FLOAT NOT NULL, pinned BOOLEAN DEFAULT 0 NOT NULL, archived BOOLEAN DEFAULT 0 NOT NULL, deleted_at FLOAT,
	PRIMARY KEY (id)
);
CREATE TABLE turns (
	id VARCHAR(32) NOT NULL,
	conversation_id VARCHAR(32) NOT NULL,
	position INTEGER NOT NULL,
	press VARCHAR(64) NOT NULL,
	content TEXT NOT NULL,
	producer VARCHAR(32) NOT NULL,
	created_at FLOAT NOT NULL, charged BOOLEAN DEFAULT 1 NOT NULL, once VARCHAR(32) DEFAULT '' NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (conversation_id, position),
	CONSTRAINT one_turn_per_press UNIQUE (press),
	FOREIGN KEY(conversation_id) REFERENCES conversations (id) ON DELETE CASCADE
);
CREATE TABLE entries (
	turn_id VARCHAR(32) NOT NULL,
	seq INTEGER NOT NULL,
	kind VARCHAR(16) NOT NULL,
	data BLOB NOT NULL,
	PRIMARY KEY (turn_id, seq),
	FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);
CREATE TABLE sessions (
	"key" VARCHAR(128) NOT NULL,
	data BLOB NOT NULL,
	expires_at FLOAT NOT NULL,
	PRIMARY KEY ("key")
);
CREATE TABLE producers (
	id VARCHAR(32) NOT NULL,
	beat INTEGER NOT NULL,
	PRIMARY KEY (id)
);
CREATE TABLE allowances (
	"key" VARCHAR(64) NOT NULL,
	request_limit INTEGER,
	remaining INTEGER,
	resets_at FLOAT,
	window FLOAT,
	heard_at FLOAT,
	refusals INTEGER DEFAULT '0' NOT NULL,
	refused_until FLOAT DEFAULT '0' NOT NULL,
	forbidden_until FLOAT DEFAULT '0' NOT NULL,
	PRIMARY KEY ("key")
);
CREATE TABLE kept_twins (
	id INTEGER NOT NULL,
	data BLOB NOT NULL,
	listed_at FLOAT NOT NULL,
	PRIMARY KEY (id)
);
CREATE TABLE pictures (
	name VARCHAR(32) NOT NULL,
	type VARCHAR(16),
	content BLOB,
	size INTEGER DEFAULT '0' NOT NULL,
	next_at FLOAT NOT NULL,
	PRIMARY KEY (name)
);
CREATE TABLE passages (
	id INTEGER NOT NULL,
	conversation_id VARCHAR(32) NOT NULL,
	turn_id VARCHAR(32),
	kind VARCHAR(8) NOT NULL,
	words TEXT NOT NULL,
	PRIMARY KEY (id),
	FOREIGN KEY(conversation_id) REFERENCES conversations (id) ON DELETE CASCADE,
	FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);
INSERT INTO alembic_version (version_num) VALUES
('0007');
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('sPMCQnAUBCo2WMazMMJrYg', 'aOeMdCg_z7udzfSd_PhCCQ', 'ada', 'Ada', 'How does a candle burn?', 'E7UKCc1lLlNnSk_wGltX5w', 1.79557129954956269267e+09, 1.79557129996464085583e+09, 0, 0, NULL);
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('0FXtV7g-hKxerLAj4WIMJw', 'aOeMdCg_z7udzfSd_PhCCQ', 'marlow', 'Marlow', 'Tell me a story', 'Zf2hmzc6OBezRbMpgz2dIA', 1.79557130001561832425e+09, 1.79557130001561832425e+09, 0, 0, NULL);
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('z6pw9iykGP4LxiA-e6SarQ', 'sPMCQnAUBCo2WMazMMJrYg', 1, '249f1f8aa163f227caeb9aeb732a651382fcb812d23cae5dd414077b4c5d73ed', 'How does a candle burn?', '', 1.79557129955185198781e+09, 1, 'z6pw9iykGP4LxiA-e6SarQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('jMHeQsHOdbiXKfHgZ7o-aw', 'sPMCQnAUBCo2WMazMMJrYg', 2, 'a33959348576c391ec2fc39d5c014edd5884a2d58139b0207310f393dbefbe82', 'And a lamp?', '', 1.79557129972437572477e+09, 1, 'jMHeQsHOdbiXKfHgZ7o-aw');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('wB2_HVXyw1ZW4tF1W4L4FA', 'sPMCQnAUBCo2WMazMMJrYg', 3, '4d431f1181f919492a7fd5207ab0a00096fa3d6aa128b9ebbd320fd7841b5be0', 'A long story', '', 1.79557129975651288034e+09, 1, 'wB2_HVXyw1ZW4tF1W4L4FA');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('LP-HupefnzaOU2EUs35psg', 'sPMCQnAUBCo2WMazMMJrYg', 4, 'dd7c5f87d927183137b54e32570d688dee0cd1890b3985f50ee326f1fc4cee9a', 'Break', '', 1.79557129993129706378e+09, 1, 'LP-HupefnzaOU2EUs35psg');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('tp5b5e7Qx4nsQz5vEaxQKQ', 'sPMCQnAUBCo2WMazMMJrYg', 5, '4b3e60255025bf2fc6c1b4d2d0b61be511e6491705a377bd6fdc4aacd9062ce0', 'Break', '', 1.79557129996485257145e+09, 1, 'LP-HupefnzaOU2EUs35psg');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('rAGE7KTywLJ8Vf2AQI6vwg', '0FXtV7g-hKxerLAj4WIMJw', 1, '5e46fb82f5159a9fba94eca1f06637cff1905491de7bdd20306d9a4e7f62c56e', 'Tell me a story', '', 1.79557130001624584191e+09, 1, 'rAGE7KTywLJ8Vf2AQI6vwg');
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('z6pw9iykGP4LxiA-e6SarQ', 4, 'ended', CAST('{"type":"ended","state":"complete","text":"The flame melts the wax.","html":"<p>The flame melts the wax.</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('jMHeQsHOdbiXKfHgZ7o-aw', 4, 'ended', CAST('{"type":"ended","state":"complete","text":"It burns *oil*.","html":"<p>It burns <em>oil</em>.</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('wB2_HVXyw1ZW4tF1W4L4FA', 4, 'ended', CAST('{"type":"ended","state":"stopped","text":"Once upon a time ","html":"<p>Once upon a time</p>\n","sentence":"You stopped this reply."}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('LP-HupefnzaOU2EUs35psg', 2, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The service reported an error: The model has a problem at the moment.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('tp5b5e7Qx4nsQz5vEaxQKQ', 4, 'ended', CAST('{"type":"ended","state":"complete","text":"It works again.","html":"<p>It works again.</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('rAGE7KTywLJ8Vf2AQI6vwg', 4, 'ended', CAST('{"type":"ended","state":"complete","text":"No.","html":"<p>No.</p>\n"}' AS BLOB));
INSERT INTO sessions ("key", data, expires_at) VALUES
('session:X9rnBCj5nq3zNvisz71k78pEmlzVtd5MVjA_zvhQaHo', X'85A6706572736F6EB6614F654D6443675F7A3775647A6653645F5068434351AA66697273745F6B65797380AA637372665F746F6B656ED92836373937616562373466653038343065663061666230376364633339383938316235326362373462AA5F7065726D616E656E74C3A47365656ECD512E', 1.82710730002615475654e+09);
INSERT INTO allowances ("key", request_limit, remaining, resets_at, "window", heard_at, refusals, refused_until, forbidden_until) VALUES
('156f6d524793a0c2f0193dfb47d13ca71b7a373cd3cb9249fcd39f1f880bbf72', 500, 489, 1.79557490003389406203e+09, 3600.0, 1.79557130003389406203e+09, 0, 0.0, 0.0);
INSERT INTO kept_twins (id, data, listed_at) VALUES
(1, X'84A57477696E7383A361646188A26964A3616461A46E616D65A3416461AB6465736372697074696F6ED9614578706C61696E7320686F77207468696E677320776F726B2C2066726F6D20737465616D20656E67696E657320746F20736F7274696E6720616C676F726974686D732C2070617469656E746C7920616E6420696E20706C61696E20776F7264732EA86772656574696E67D95F48656C6C6F2C204920616D204164612E204E616D652061207468696E6720796F75206861766520616C7761797320776F6E64657265642061626F75742C20616E6420492077696C6C2074656C6C20796F7520686F7720697420776F726B732EA8737461727465727393B55768617420697320616E20616C676F726974686D3FB757686174206973206120737465616D20656E67696E653FB657686174206973206120736F6C61722070616E656C3FAA6176617461725F75726CA0A86C616E6775616765A2656EA5657874726180A5636F61636888A26964A5636F616368A46E616D65A5436F616368AB6465736372697074696F6ED94041736B73206F6E6520676F6F64207175657374696F6E20617420612074696D652C20616E64206C65617665732074686520616E737765727320746F20796F752EA86772656574696E67D960476F6F6420746F2073656520796F752E2054656C6C206D65206F6E65207468696E6720796F7520776F756C64206C696B6520746F20646F2C20616E6420492077696C6C2061736B20796F752061207175657374696F6E2061626F75742069742EA8737461727465727393BA492077616E7420746F2072656164206D6F726520626F6F6B732EBB492077616E7420746F206C6561726E2061206C616E67756167652EB9492077616E7420746F20706C616E7420612067617264656E2EAA6176617461725F75726CA0A86C616E6775616765A2656EA5657874726180A66D61726C6F7788A26964A66D61726C6F77A46E616D65A64D61726C6F77AB6465736372697074696F6ED950412074726176656C20636F6D70616E696F6E2077697468206F70696E696F6E732061626F757420747261696E732C206D61726B65747320616E6420776865726520746F20736974206174206E6F6F6E2EA86772656574696E67D94F41682C20746865726520796F752061726521204920616D204D61726C6F772C20616E64207468652077696E646F77207365617420697320667265652E205768657265207368616C6C20776520676F3FA8737461727465727393BA4920686176652061207765656B656E6420696E2050617269732EBC492077616E7420746F206561742077656C6C20696E204974616C792EB6497320526F6D6520776F72746820612076697369743FAA6176617461725F75726CA0A86C616E6775616765A2656EA5657874726180A96C69737465645F6174CB41DAC18F98E24AC5A8636F6D706C657465C3A773657276696365BD687474703A2F2F3132372E302E302E313A34323136352F6170692F7631', 1.79557129953581357008e+09);
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(1, 'sPMCQnAUBCo2WMazMMJrYg', NULL, 'title', '=tfdd1a92d3bf5e42fda748753 a burn candle does how');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(2, 'sPMCQnAUBCo2WMazMMJrYg', 'z6pw9iykGP4LxiA-e6SarQ', 'said', '=mfdd1a92d3bf5e42fda748753 a burn candle does how');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(3, 'sPMCQnAUBCo2WMazMMJrYg', 'z6pw9iykGP4LxiA-e6SarQ', 'reply', '=mfdd1a92d3bf5e42fda748753 flame melts the wax');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(4, 'sPMCQnAUBCo2WMazMMJrYg', 'jMHeQsHOdbiXKfHgZ7o-aw', 'said', '=mfdd1a92d3bf5e42fda748753 a and lamp');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(5, 'sPMCQnAUBCo2WMazMMJrYg', 'jMHeQsHOdbiXKfHgZ7o-aw', 'reply', '=mfdd1a92d3bf5e42fda748753 burns it oil');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(6, 'sPMCQnAUBCo2WMazMMJrYg', 'wB2_HVXyw1ZW4tF1W4L4FA', 'said', '=mfdd1a92d3bf5e42fda748753 a long story');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(7, 'sPMCQnAUBCo2WMazMMJrYg', 'wB2_HVXyw1ZW4tF1W4L4FA', 'reply', '=mfdd1a92d3bf5e42fda748753 a once time upon');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(8, 'sPMCQnAUBCo2WMazMMJrYg', 'LP-HupefnzaOU2EUs35psg', 'said', '=mfdd1a92d3bf5e42fda748753 break');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(9, 'sPMCQnAUBCo2WMazMMJrYg', 'tp5b5e7Qx4nsQz5vEaxQKQ', 'said', '=mfdd1a92d3bf5e42fda748753 break');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(10, 'sPMCQnAUBCo2WMazMMJrYg', 'tp5b5e7Qx4nsQz5vEaxQKQ', 'reply', '=mfdd1a92d3bf5e42fda748753 again it works');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(11, '0FXtV7g-hKxerLAj4WIMJw', NULL, 'title', '=tfdd1a92d3bf5e42fda748753 a me story tell');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(12, '0FXtV7g-hKxerLAj4WIMJw', 'rAGE7KTywLJ8Vf2AQI6vwg', 'said', '=mfdd1a92d3bf5e42fda748753 a me story tell');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(13, '0FXtV7g-hKxerLAj4WIMJw', 'rAGE7KTywLJ8Vf2AQI6vwg', 'reply', '=mfdd1a92d3bf5e42fda748753 no');
CREATE VIRTUAL TABLE passages_index USING fts5(
    words, content='passages', content_rowid='id', detail=none, prefix='2 3',
    tokenize="ascii tokenchars '='"
);
INSERT INTO passages_index (passages_index) VALUES ('rebuild');
CREATE INDEX ix_sessions_expires_at ON sessions (expires_at);
CREATE INDEX turns_of_producer ON turns (producer);
CREATE INDEX turns_by_time ON turns (created_at);
CREATE INDEX turns_of_conversation_by_time ON turns (conversation_id, created_at);
CREATE INDEX conversations_listed ON conversations (person, archived, pinned, updated_at, id);
CREATE INDEX conversations_deleted ON conversations (deleted_at);
CREATE INDEX ix_passages_conversation_id ON passages (conversation_id);
CREATE INDEX ix_passages_turn_id ON passages (turn_id);
CREATE TRIGGER passage_added AFTER INSERT ON passages BEGIN
        INSERT INTO passages_index (rowid, words) VALUES (new.id, new.words);
    END;
CREATE TRIGGER passage_removed AFTER DELETE ON passages BEGIN
        INSERT INTO passages_index (passages_index, rowid, words)
        VALUES ('delete', old.id, old.words);
    END;
COMMIT;
