-- Written by revision 62d9f28 of Twindow, for tests/test_upgrade.py: the portal's database, with a remote service.
-- Its `python app.py` ran on SQLite, a scripted service replied, and a client without JavaScript
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
('JF0vaZXIEd_UU-K7TpmG3Q', 'x-HXlRF1gA5Ks4Gd00_Gyg', 'ada', 'Ada', 'How does a **steam engine** work?', 'up-1', 1.79557119801775979996e+09, 1.79557121830629563331e+09, 0, 0, NULL);
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('xLp5SCE_GwT14NjHrqe48g', 'x-HXlRF1gA5Ks4Gd00_Gyg', 'ada', 'Ada', 'Everything that can go wrong', 'up-2', 1.79557119881103062625e+09, 1.79557121194332170487e+09, 0, 0, NULL);
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('PCShBMzUJsA9diiSKA0e1A', 'x-HXlRF1gA5Ks4Gd00_Gyg', 'ada', 'Ada', 'Are you there?', 'up-3', 1.79557121245737910273e+09, 1.79557121283303761484e+09, 0, 0, NULL);
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('cAICSU24lQDuhAy7mViHZg', 'x-HXlRF1gA5Ks4Gd00_Gyg', 'ada', 'Ada', 'A new *title*', 'up-4', 1.79557121288650727271e+09, 1.79557121288650727271e+09, 1, 0, NULL);
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('O-IIrU2sdxkbjBYhMpGmVA', 'x-HXlRF1gA5Ks4Gd00_Gyg', 'ada', 'Ada', 'Archive me', 'up-5', 1.79557121303235793117e+09, 1.79557121303235793117e+09, 0, 1, NULL);
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('w8eFNzCxyrZmvdnob9KOug', 'x-HXlRF1gA5Ks4Gd00_Gyg', 'ada', 'Ada', 'Delete me', 'up-6', 1795571213.21489, 1795571213.21489, 0, 0, 1.79557121381458592414e+09);
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('LnBEQ_avMSwOQVItl31sFQ', 'x-HXlRF1gA5Ks4Gd00_Gyg', 'a/b c?#ü', 'Odd', 'Hello odd one', 'up-7', 1.79557121361470699303e+09, 1.79557123615720081333e+09, 0, 0, NULL);
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('s__EHBGrN9VOffyMiEKciQ', 'x-HXlRF1gA5Ks4Gd00_Gyg', 'ada', 'Ada', 'Restart during the reply', 'up-8', 1.79557121414198565486e+09, 1.79557121414198565486e+09, 0, 0, NULL);
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('TcjuIfttpXQT2_r0_V3QGA', 'x-HXlRF1gA5Ks4Gd00_Gyg', 'ada', 'Ada', 'Killed during the reply', 'up-9', 1.79557122377607297899e+09, 1.79557122377607297899e+09, 0, 0, NULL);
INSERT INTO conversations (id, person, twin_id, twin_name, title, service_id, created_at, updated_at, pinned, archived, deleted_at) VALUES
('l7x7G0FNX5zazxmf4uq7yQ', 'x-HXlRF1gA5Ks4Gd00_Gyg', 'ada', 'Ada', 'Running at the update', 'up-10', 1.79557129719684696201e+09, 1.79557129719684696201e+09, 0, 0, NULL);
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('xa2ATlpvCSXag1WFcDpzFQ', 'JF0vaZXIEd_UU-K7TpmG3Q', 1, '6be00327badc531ac0a557483e53568ab86ffd44ecca4cdc20b0a2b657dc6bc5', 'How does a **steam engine** work?', '', 1795571198.02168, 1, 'xa2ATlpvCSXag1WFcDpzFQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('_lVQc333vKIE6JeOoM-2SA', 'JF0vaZXIEd_UU-K7TpmG3Q', 2, '0c4b7897e8832028099c4f795fcc3fb62f43cb93d888aabd43a507827d1368b5', 'How does a steam *locomotive* work?', '', 1.79557119835396075246e+09, 1, '_lVQc333vKIE6JeOoM-2SA');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('tYi5JhjZIPcakHEX6ynEBQ', 'JF0vaZXIEd_UU-K7TpmG3Q', 3, 'f98016835a9db74d2db2d20eed2cef23b910d7da15a7d0fb6398961351ab05eb', 'A long story please', '', 1.79557119839223957059e+09, 1, 'tYi5JhjZIPcakHEX6ynEBQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('1A0FQ6ED6RXe5cQu3M1kFQ', 'JF0vaZXIEd_UU-K7TpmG3Q', 4, 'a41e763dd4dc50a0826c20600ec8748d4138d7170b87cb741e7832e9b4881661', 'A long story please', '', 1795571198.63707, 1, '1A0FQ6ED6RXe5cQu3M1kFQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('hVy0nFAhbUnIU1mF0ltCqQ', 'xLp5SCE_GwT14NjHrqe48g', 1, '7c08c130684379c18fe951787bddfba4e3a07d92fe57f655edd68c88a8fdfba5', 'Everything that can go wrong', '', 1795571198.81194, 1, 'hVy0nFAhbUnIU1mF0ltCqQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('X4WMiejh33OGx_CSiBTNFQ', 'xLp5SCE_GwT14NjHrqe48g', 2, '65c04a5423c122e97b5ef5951c801032938a4178c3a6c8b2212e49bae0f15492', 'reported', '', 1.79557119896802639966e+09, 1, 'X4WMiejh33OGx_CSiBTNFQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('nvVOvRKgOFC9ffQG8XPkdw', 'xLp5SCE_GwT14NjHrqe48g', 3, '43f04defaa66e3e61101f2c6c310f1ed9ae7273d9ac6e2e2cdc313785108f9af', 'reported without details', '', 1.79557119916086196896e+09, 1, 'nvVOvRKgOFC9ffQG8XPkdw');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('dg4_GZcSowFiRkCKcZGuNg', 'xLp5SCE_GwT14NjHrqe48g', 4, '4998c5158a61d319590985ca180690c84674cd261cf00b4d1b2ba2d5cd61cc29', 'message too long for the model', '', 1.79557119930678963661e+09, 1, 'dg4_GZcSowFiRkCKcZGuNg');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('s-J2mUVZ1P4mL_8SOZLjvw', 'xLp5SCE_GwT14NjHrqe48g', 5, '8be26a36e99f50f96be98dbde628848e5780bc4a25b43db9fdc6690ab84f55b7', 'empty', '', 1.7955711996957142353e+09, 1, 's-J2mUVZ1P4mL_8SOZLjvw');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('0tvnTXHmrVgRUAI2RnRymQ', 'xLp5SCE_GwT14NjHrqe48g', 6, '65fa928ae9a48b01cd5e9a1a32a49c34627d5431e6ced223f942a1ec183cda76', 'broken', '', 1.7955711999472782612e+09, 1, '0tvnTXHmrVgRUAI2RnRymQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('JhkUmnH8Ogpx-HX-8gPUtQ', 'xLp5SCE_GwT14NjHrqe48g', 7, 'f8e4ad59935aa172f099e79a3ac5ea23befd5dd05cdca3d55894ab0295d9a4c5', 'rejected', '', 1.79557120016821312904e+09, 0, 'JhkUmnH8Ogpx-HX-8gPUtQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('ZfkdwaRxm5jRMftsiDd-aw', 'xLp5SCE_GwT14NjHrqe48g', 8, 'b6849b52130454d2f9b9e954ddccdad584b545e68f8a35d840c5db9bdb4b100f', 'rejected without reason', '', 1.79557120033988857265e+09, 0, 'ZfkdwaRxm5jRMftsiDd-aw');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('9iyvdDSSC4rXG-eKIh0xOQ', 'xLp5SCE_GwT14NjHrqe48g', 9, '963444eb4eb1e89005495ec249adce5ffda2a93b93d3fe8c390bc179f2b49593', 'too long', '', 1.79557120037618422512e+09, 0, '9iyvdDSSC4rXG-eKIh0xOQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('BFSHZ38SloKjCnFKJABMwQ', 'xLp5SCE_GwT14NjHrqe48g', 10, 'aa6f64a478362941f2bc8dde5775c4a508ee351f1a7f8a3e5f71386647245e64', 'conflict', '', 1.79557120053910279277e+09, 0, 'BFSHZ38SloKjCnFKJABMwQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('Wma0kF5RvTWw8MN0YpfCgA', 'xLp5SCE_GwT14NjHrqe48g', 11, '0d9e1280c942da43ef0f7b9ba4767cbf50416c64a3767bd21e75b51ae802c2b8', 'redirected', '', 1.79557120324331760405e+09, 1, 'Wma0kF5RvTWw8MN0YpfCgA');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('2-sHK1Z3jpxxgAsmQsHcoA', 'xLp5SCE_GwT14NjHrqe48g', 12, '26b88bccb724febd1bddca3c5743bca6021f281c99a54c31459d497b83d5c286', 'closed', '', 1.7955712033775403499e+09, 1, '2-sHK1Z3jpxxgAsmQsHcoA');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('Wmt0F9Y6kmZBaHas0qPLGw', 'xLp5SCE_GwT14NjHrqe48g', 13, 'dc7966db06ca1334f5ca3d96d9434af4e742be5408ed434dc08643b085d51012', 'reset', '', 1.79557120385359048845e+09, 1, 'Wmt0F9Y6kmZBaHas0qPLGw');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('8g2i7k6lincYKuhkuMy_QA', 'xLp5SCE_GwT14NjHrqe48g', 14, 'c26fc968d2cc81d5624c4c3d46488121edf515b45f07842bd60ea0d908e2d16e', 'silent', '', 1.79557120449025201793e+09, 1, '8g2i7k6lincYKuhkuMy_QA');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('gNJzA6YNCgMJ6aM75KFl2g', 'xLp5SCE_GwT14NjHrqe48g', 15, '3efb2c3d39101a9773adbddcf9b1c97e5c985d83dd77088127ac43bfe7265934', 'ended early', '', 1795571208.15656, 1, 'gNJzA6YNCgMJ6aM75KFl2g');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('kwutQJruaCxeZ0nj30TSmA', 'xLp5SCE_GwT14NjHrqe48g', 16, '6f24058ec49c696e9ac9a9157f69394d1787cfb768d446491f5862b6d78229be', 'wrong key', '', 1795571209.02926, 0, 'kwutQJruaCxeZ0nj30TSmA');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('6WRIv8EHi-vftLANAJaq2A', 'xLp5SCE_GwT14NjHrqe48g', 17, 'd95c9864f2be8b500db6ff18b06ccdac35b8a83753d33bac19109badeb664700', 'too many', '', 1.79557120951704788204e+09, 0, '6WRIv8EHi-vftLANAJaq2A');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('vn7cG_lIhKQfGPrOcnVngg', 'xLp5SCE_GwT14NjHrqe48g', 18, '5209414b233e0937f3e34b7015b0d491a2f3568659e7e646f757f84ec25ce4b0', 'too many', '', 1.79557121194363904e+09, 1, '6WRIv8EHi-vftLANAJaq2A');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('hyV-GB979jVm02d_QasDFQ', 'PCShBMzUJsA9diiSKA0e1A', 1, '8e5d3d8506ba63001f56e9218953faf205dd70239998fbe7ea5d93c6005128db', 'Are you there?', '', 1.79557121245813608176e+09, 1, 'hyV-GB979jVm02d_QasDFQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('QqEo2PBP2LWvjxun2-P8PA', 'PCShBMzUJsA9diiSKA0e1A', 2, 'c6ae174bd7a63688c2d2c120d78097498faafe0fd56adc6ed591edd9610acaf3', 'And now?', '', 1.79557121283330154426e+09, 0, 'QqEo2PBP2LWvjxun2-P8PA');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('og3creP2ihdbT1NsUFh6kA', 'cAICSU24lQDuhAy7mViHZg', 1, 'ffd48a2d300b0ea0a8d5144ce123c8dac3566a147afe37324733cee3bdf01e66', 'Pin me', '', 1.79557121291722369188e+09, 1, 'og3creP2ihdbT1NsUFh6kA');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('GI8WN6Wd9wtSzwx-Wf3hkA', 'O-IIrU2sdxkbjBYhMpGmVA', 1, '939f33755e281d9e05e663321a269f3010283a455a6e982d88bc7f53deea0326', 'Archive me', '', 1.79557121303324484823e+09, 1, 'GI8WN6Wd9wtSzwx-Wf3hkA');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('B5M28hZYly9aHR6BImuB-A', 'w8eFNzCxyrZmvdnob9KOug', 1, '0ae17ed1d8b9414ac7c84e2a1d65d74754aa5ae7627cd75c6c08e218b2bc9ec2', 'Delete me', '', 1.79557121321571278569e+09, 1, 'B5M28hZYly9aHR6BImuB-A');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('vmQGmOQtGPWersbrUTAPpw', 'LnBEQ_avMSwOQVItl31sFQ', 1, 'ba7677b92fb5780ad93ce4e26131fff715d8c837ca50b0353382e3f32775e53b', 'Hello odd one', '', 1.79557121361610364917e+09, 1, 'vmQGmOQtGPWersbrUTAPpw');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('y8TVFY4GSnd_siPgyFi4pA', 's__EHBGrN9VOffyMiEKciQ', 1, '5e4daa94e2530e1bd25a2bd9297111a3fd90cd581b54d870acbb8408d4ba5c89', 'Restart during the reply', '', 1.79557121414443397518e+09, 1, 'y8TVFY4GSnd_siPgyFi4pA');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('gpXFAGpDI3ofyAuAL1lbaQ', 'JF0vaZXIEd_UU-K7TpmG3Q', 5, '4628629eece8815d454c44edf907a5b45bf57d0f95c58532c07f77897d66e23c', 'Nobody listens', '', 1.79557121833373475069e+09, 0, 'gpXFAGpDI3ofyAuAL1lbaQ');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('hFxPdvAkzyliJGQmrrtJEg', 'TcjuIfttpXQT2_r0_V3QGA', 1, 'f15de88a4bd91f3cde5475ac06e2b060e1216792a04d581431d071367756d5fa', 'Killed during the reply', '', 1.79557122377889776228e+09, 1, 'hFxPdvAkzyliJGQmrrtJEg');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('NIII5kOHOFeG8NY0rY_yRw', 'LnBEQ_avMSwOQVItl31sFQ', 2, '59c2258b9c0f7af39a6db0281c363e9f6899b33080bb8571f3ea753c76a85840', 'forbidden', '', 1.79557123615786981586e+09, 0, 'NIII5kOHOFeG8NY0rY_yRw');
INSERT INTO turns (id, conversation_id, "position", press, content, producer, created_at, charged, once) VALUES
('SYsLEufJtXJwLiVEhUHTxg', 'l7x7G0FNX5zazxmf4uq7yQ', 1, '1881154dab89ecfd317e51e29607172d52e3725c1437c7cdcbb4527ac298754d', 'Running at the update', 'xty7WndqFsg5YxWwYNwa-A', 1.79557129719985890392e+09, 1, 'SYsLEufJtXJwLiVEhUHTxg');
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('xa2ATlpvCSXag1WFcDpzFQ', 1, 'ended', CAST('{"type":"ended","state":"complete","text":"## A steam engine\n\n1. Water boils.\n2. Steam pushes the **piston**.\n\n| part | moves |\n|------|:-----:|\n| piston | yes |\n\n```python\ndef work(pressure: float) -> float:\n    return pressure * 2  # \"joule\"\n```\n\nIt obeys $p V = n R T$, see [the law](https://example.org/law) and the note[^1]. <b>Raw</b> & \"quoted\".\nDo [log in](http:bank.example/login) never.\n\n- [x] done\n- [ ] open\n\n[^1]: An ideal gas.\n","html":"<h4>A steam engine</h4>\n<ol>\n<li>Water boils.</li>\n<li>Steam pushes the <strong>piston</strong>.</li>\n</ol>\n<section class=\"table\" tabindex=\"0\"><table><thead><tr><th>part</th><th align=\"center\">moves</th></tr></thead><tbody>\n<tr><td>piston</td><td align=\"center\">yes</td></tr>\n</tbody></table></section>\n<div class=\"code\" data-language=\"python\"><pre tabindex=\"0\"><code><i class=\"k\">def</i> <i class=\"f\">work</i>(pressure: <i class=\"b\">float</i>) -&gt; <i class=\"b\">float</i>:\n    <i class=\"k\">return</i> pressure * <i class=\"m\">2</i>  <i class=\"c\"># \"joule\"</i>\n</code></pre></div>\n<p>It obeys <math display=\"inline\" alttext=\"p V = n R T\"><mrow><mi>p</mi><mi>V</mi><mo>=</mo><mi>n</mi><mi>R</mi><mi>T</mi></mrow></math>, see <a href=\"https://example.org/law\" rel=\"noopener noreferrer nofollow\">the law<small class=\"host\"> example.org</small></a> and the note<sup><a href=\"#note-xa2ATlpvCSXag1WFcDpzFQ-1\" role=\"doc-noteref\" id=\"call-xa2ATlpvCSXag1WFcDpzFQ-1\">1</a></sup>. &lt;b&gt;Raw&lt;/b&gt; &amp; \"quoted\".\nDo <a href=\"http:bank.example/login\" rel=\"noopener noreferrer nofollow\">log in<small class=\"host\"> bank.example</small></a> never.</p>\n<ul>\n<li class=\"task\">☑ done</li>\n<li class=\"task\">☐ open</li>\n</ul>\n<div class=\"noted\" id=\"note-xa2ATlpvCSXag1WFcDpzFQ-1\"><b>1</b>\n<p>An ideal gas. <a href=\"#call-xa2ATlpvCSXag1WFcDpzFQ-1\" role=\"doc-backlink\">↩</a></p></div>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('_lVQc333vKIE6JeOoM-2SA', 3, 'ended', CAST('{"type":"ended","state":"complete","text":"It is an engine on wheels.","html":"<p>It is an engine on wheels.</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('tYi5JhjZIPcakHEX6ynEBQ', 2, 'ended', CAST('{"type":"ended","state":"stopped","text":"Once upon a time","html":"<p>Once upon a time</p>\n","sentence":"You stopped this reply."}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('1A0FQ6ED6RXe5cQu3M1kFQ', 2, 'ended', CAST('{"type":"ended","state":"complete","text":"Once, briefly.","html":"<p>Once, briefly.</p>\n","sentence":"This reply was cut off: it is as long as a reply may be here. Ask for the rest."}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('hVy0nFAhbUnIU1mF0ltCqQ', 1, 'ended', CAST('{"type":"ended","state":"complete","text":"Go on.","html":"<p>Go on.</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('X4WMiejh33OGx_CSiBTNFQ', 2, 'ended', CAST('{"type":"ended","state":"failed","text":"So far","html":"<p>So far</p>\n","sentence":"The service reported an error: The model is out of breath.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('nvVOvRKgOFC9ffQG8XPkdw', 2, 'ended', CAST('{"type":"ended","state":"failed","text":"So far","html":"<p>So far</p>\n","sentence":"The service reported an error without details.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('dg4_GZcSowFiRkCKcZGuNg', 2, 'ended', CAST('{"type":"ended","state":"failed","text":"So far","html":"<p>So far</p>\n","sentence":"Your message is too long for the model that answers here. Try a shorter one.","perhaps_received":true,"too_long":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('s-J2mUVZ1P4mL_8SOZLjvw', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The reply was empty.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('0tvnTXHmrVgRUAI2RnRymQ', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The service has a problem at the moment.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('JhkUmnH8Ogpx-HX-8gPUtQ', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The service did not accept the message: No poems please. Your message was not sent."}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('ZfkdwaRxm5jRMftsiDd-aw', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The service did not accept the message. Your message was not sent."}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('9iyvdDSSC4rXG-eKIh0xOQ', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The service did not accept the message: At most 100 characters. Your message was not sent.","too_long":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('BFSHZ38SloKjCnFKJABMwQ', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"Another reply is in progress in this conversation. Wait a moment, then try again. Your message was not sent."}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('Wma0kF5RvTWw8MN0YpfCgA', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The service gave an unexpected answer. Please tell the operator.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('2-sHK1Z3jpxxgAsmQsHcoA', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The service closed the connection without an answer.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('Wmt0F9Y6kmZBaHas0qPLGw', 2, 'ended', CAST('{"type":"ended","state":"interrupted","text":"Half a rep","html":"<p>Half a rep</p>\n","sentence":"The reply was cut off. What came so far is kept.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('8g2i7k6lincYKuhkuMy_QA', 2, 'ended', CAST('{"type":"ended","state":"interrupted","text":"Then silence","html":"<p>Then silence</p>\n","sentence":"The service was quiet for too long, so the reply was given up. What came so far is kept.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('gNJzA6YNCgMJ6aM75KFl2g', 2, 'ended', CAST('{"type":"ended","state":"interrupted","text":"The stream ends","html":"<p>The stream ends</p>\n","sentence":"The reply was cut off. What came so far is kept.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('kwutQJruaCxeZ0nj30TSmA', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The portal''s access to the service was refused. Please tell the operator. Your message was not sent."}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('6WRIv8EHi-vftLANAJaq2A', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The service has had too many requests for now. Your message was not sent.","retry_at":1795571210.6603603}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('vn7cG_lIhKQfGPrOcnVngg', 1, 'ended', CAST('{"type":"ended","state":"complete","text":"Now it works.","html":"<p>Now it works.</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('hyV-GB979jVm02d_QasDFQ', 1, 'ended', CAST('{"type":"ended","state":"complete","text":"Yes.","html":"<p>Yes.</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('QqEo2PBP2LWvjxun2-P8PA', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"This conversation, or its twin, is no longer there at the service. What was said here is kept.","gone":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('og3creP2ihdbT1NsUFh6kA', 1, 'ended', CAST('{"type":"ended","state":"complete","text":"Reply to Pin me","html":"<p>Reply to Pin me</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('GI8WN6Wd9wtSzwx-Wf3hkA', 1, 'ended', CAST('{"type":"ended","state":"complete","text":"Reply to Archive me","html":"<p>Reply to Archive me</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('B5M28hZYly9aHR6BImuB-A', 1, 'ended', CAST('{"type":"ended","state":"complete","text":"Reply to Delete me","html":"<p>Reply to Delete me</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('vmQGmOQtGPWersbrUTAPpw', 1, 'ended', CAST('{"type":"ended","state":"complete","text":"Reply to Hello odd one","html":"<p>Reply to Hello odd one</p>\n"}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('y8TVFY4GSnd_siPgyFi4pA', 2, 'ended', CAST('{"type":"ended","state":"interrupted","text":"Before the restart","html":"<p>Before the restart</p>\n","sentence":"The reply was cut off, because Twindow is being restarted. What came so far is kept.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('gpXFAGpDI3ofyAuAL1lbaQ', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The service cannot be reached. Your message was not sent."}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('hFxPdvAkzyliJGQmrrtJEg', 2, 'ended', CAST('{"type":"ended","state":"interrupted","text":"Last words","html":"<p>Last words</p>\n","sentence":"The reply was cut off, because Twindow was restarted. What came so far is kept.","perhaps_received":true}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('NIII5kOHOFeG8NY0rY_yRw', 1, 'ended', CAST('{"type":"ended","state":"failed","sentence":"The portal''s key may only read. Please tell the operator. Your message was not sent."}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('SYsLEufJtXJwLiVEhUHTxg', 1, 'delta', CAST('{"type":"delta","text":"Not "}' AS BLOB));
INSERT INTO entries (turn_id, seq, kind, data) VALUES
('SYsLEufJtXJwLiVEhUHTxg', 2, 'delta', CAST('{"type":"delta","text":"finished"}' AS BLOB));
INSERT INTO sessions ("key", data, expires_at) VALUES
('session:Sb7_1XY9i4FXEpkkvcgZ4C8nb9gTPZawS8C0KQQXJF8', X'83A6706572736F6EB6334B5A5752486B47763055396F474F416B6D734E6A77AA66697273745F6B65797381A3616461B67938342D3077386D564C3933564A30783951495A5951AA637372665F746F6B656ED92831393830653435393534633562663333363431326532633461653336643566613763353238333433', 1795657597.41737);
INSERT INTO sessions ("key", data, expires_at) VALUES
('session:zVt_xcVi7un368eQho6SDXlh6ydETxUwYo8zFBSuxrM', X'87A6706572736F6EB6782D48586C5246316741354B7334476430305F477967AA66697273745F6B65797380AA637372665F746F6B656ED92835376239613930373532393363373935666639353230333463326265373534303265383130663438AA5F7065726D616E656E74C3A47365656ECD512EAB707265666572656E63657382A57468656D65A46461726BA474657874A56C61726765A46B65707481B663414943535532346C514475684179376D5669485A67DA07DA546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20546F6F206C6F6E672E20', 1.82710729727027869221e+09);
INSERT INTO sessions ("key", data, expires_at) VALUES
('press:zVt_xcVi7un368eQho6SDXlh6ydETxUwYo8zFBSuxrM:iOos8_JIvOQiaEpz1PjApA', X'C3', 1.79565761402714133259e+09);
INSERT INTO producers (id, beat) VALUES
('xty7WndqFsg5YxWwYNwa-A', 2);
INSERT INTO allowances ("key", request_limit, remaining, resets_at, "window", heard_at, refusals, refused_until, forbidden_until) VALUES
('95d277c5e0563eacc6aa834ad0a8e35fd30c32853091a5d9f2f04ed800d51677', NULL, NULL, NULL, NULL, NULL, 0, 1.7955712106603603363e+09, 1.79557129617286038393e+09);
INSERT INTO kept_twins (id, data, listed_at) VALUES
(1, X'84A57477696E7382A361646188A26964A3616461A46E616D65A3416461AB6465736372697074696F6EB94578706C61696E7320686F77207468696E677320776F726B2EA86772656574696E67B048656C6C6F2C204920616D204164612EA8737461727465727391D920486F7720646F657320612062696379636C65207374617920757072696768743FAA6176617461725F75726CA0A86C616E6775616765A0A5657874726180A9612F6220633F23C3BC88A26964A9612F6220633F23C3BCA46E616D65A34F6464AB6465736372697074696F6EA0A86772656574696E67A0A8737461727465727390AA6176617461725F75726CA0A86C616E6775616765A0A5657874726180A96C69737465645F6174CB41DAC18F984B9D42A8636F6D706C657465C3A773657276696365BD687474703A2F2F3132372E302E302E313A33393730312F6170692F7631', 1.7955712971814732551e+09);
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(1, 'JF0vaZXIEd_UU-K7TpmG3Q', NULL, 'title', '=ta925400a222b38d56b13f659 a does engine how steam work');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(2, 'JF0vaZXIEd_UU-K7TpmG3Q', 'xa2ATlpvCSXag1WFcDpzFQ', 'said', '=ma925400a222b38d56b13f659 a does engine how steam work');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(3, 'JF0vaZXIEd_UU-K7TpmG3Q', 'xa2ATlpvCSXag1WFcDpzFQ', 'reply', '=ma925400a222b38d56b13f659 1 2 a an and b bank boils def do done engine example float gas http https ideal in it joule law log login moves n never note obeys open org p part piston pressure pushes python quoted r raw return see steam t the v water work x yes');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(4, 'JF0vaZXIEd_UU-K7TpmG3Q', '_lVQc333vKIE6JeOoM-2SA', 'said', '=ma925400a222b38d56b13f659 a does how locomotive steam work');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(5, 'JF0vaZXIEd_UU-K7TpmG3Q', '_lVQc333vKIE6JeOoM-2SA', 'reply', '=ma925400a222b38d56b13f659 an engine is it on wheels');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(6, 'JF0vaZXIEd_UU-K7TpmG3Q', 'tYi5JhjZIPcakHEX6ynEBQ', 'said', '=ma925400a222b38d56b13f659 a long please story');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(7, 'JF0vaZXIEd_UU-K7TpmG3Q', 'tYi5JhjZIPcakHEX6ynEBQ', 'reply', '=ma925400a222b38d56b13f659 a once time upon');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(8, 'JF0vaZXIEd_UU-K7TpmG3Q', '1A0FQ6ED6RXe5cQu3M1kFQ', 'said', '=ma925400a222b38d56b13f659 a long please story');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(9, 'JF0vaZXIEd_UU-K7TpmG3Q', '1A0FQ6ED6RXe5cQu3M1kFQ', 'reply', '=ma925400a222b38d56b13f659 briefly once');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(10, 'xLp5SCE_GwT14NjHrqe48g', NULL, 'title', '=ta925400a222b38d56b13f659 can everything go that wrong');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(11, 'xLp5SCE_GwT14NjHrqe48g', 'hVy0nFAhbUnIU1mF0ltCqQ', 'said', '=ma925400a222b38d56b13f659 can everything go that wrong');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(12, 'xLp5SCE_GwT14NjHrqe48g', 'hVy0nFAhbUnIU1mF0ltCqQ', 'reply', '=ma925400a222b38d56b13f659 go on');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(13, 'xLp5SCE_GwT14NjHrqe48g', 'X4WMiejh33OGx_CSiBTNFQ', 'said', '=ma925400a222b38d56b13f659 reported');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(14, 'xLp5SCE_GwT14NjHrqe48g', 'X4WMiejh33OGx_CSiBTNFQ', 'reply', '=ma925400a222b38d56b13f659 far so');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(15, 'xLp5SCE_GwT14NjHrqe48g', 'nvVOvRKgOFC9ffQG8XPkdw', 'said', '=ma925400a222b38d56b13f659 details reported without');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(16, 'xLp5SCE_GwT14NjHrqe48g', 'nvVOvRKgOFC9ffQG8XPkdw', 'reply', '=ma925400a222b38d56b13f659 far so');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(17, 'xLp5SCE_GwT14NjHrqe48g', 'dg4_GZcSowFiRkCKcZGuNg', 'said', '=ma925400a222b38d56b13f659 for long message model the too');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(18, 'xLp5SCE_GwT14NjHrqe48g', 'dg4_GZcSowFiRkCKcZGuNg', 'reply', '=ma925400a222b38d56b13f659 far so');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(19, 'xLp5SCE_GwT14NjHrqe48g', 's-J2mUVZ1P4mL_8SOZLjvw', 'said', '=ma925400a222b38d56b13f659 empty');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(20, 'xLp5SCE_GwT14NjHrqe48g', '0tvnTXHmrVgRUAI2RnRymQ', 'said', '=ma925400a222b38d56b13f659 broken');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(21, 'xLp5SCE_GwT14NjHrqe48g', 'JhkUmnH8Ogpx-HX-8gPUtQ', 'said', '=ma925400a222b38d56b13f659 rejected');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(22, 'xLp5SCE_GwT14NjHrqe48g', 'ZfkdwaRxm5jRMftsiDd-aw', 'said', '=ma925400a222b38d56b13f659 reason rejected without');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(23, 'xLp5SCE_GwT14NjHrqe48g', '9iyvdDSSC4rXG-eKIh0xOQ', 'said', '=ma925400a222b38d56b13f659 long too');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(24, 'xLp5SCE_GwT14NjHrqe48g', 'BFSHZ38SloKjCnFKJABMwQ', 'said', '=ma925400a222b38d56b13f659 conflict');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(25, 'xLp5SCE_GwT14NjHrqe48g', 'Wma0kF5RvTWw8MN0YpfCgA', 'said', '=ma925400a222b38d56b13f659 redirected');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(26, 'xLp5SCE_GwT14NjHrqe48g', '2-sHK1Z3jpxxgAsmQsHcoA', 'said', '=ma925400a222b38d56b13f659 closed');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(27, 'xLp5SCE_GwT14NjHrqe48g', 'Wmt0F9Y6kmZBaHas0qPLGw', 'said', '=ma925400a222b38d56b13f659 reset');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(28, 'xLp5SCE_GwT14NjHrqe48g', 'Wmt0F9Y6kmZBaHas0qPLGw', 'reply', '=ma925400a222b38d56b13f659 a half rep');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(29, 'xLp5SCE_GwT14NjHrqe48g', '8g2i7k6lincYKuhkuMy_QA', 'said', '=ma925400a222b38d56b13f659 silent');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(30, 'xLp5SCE_GwT14NjHrqe48g', '8g2i7k6lincYKuhkuMy_QA', 'reply', '=ma925400a222b38d56b13f659 silence then');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(31, 'xLp5SCE_GwT14NjHrqe48g', 'gNJzA6YNCgMJ6aM75KFl2g', 'said', '=ma925400a222b38d56b13f659 early ended');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(32, 'xLp5SCE_GwT14NjHrqe48g', 'gNJzA6YNCgMJ6aM75KFl2g', 'reply', '=ma925400a222b38d56b13f659 ends stream the');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(33, 'xLp5SCE_GwT14NjHrqe48g', 'kwutQJruaCxeZ0nj30TSmA', 'said', '=ma925400a222b38d56b13f659 key wrong');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(34, 'xLp5SCE_GwT14NjHrqe48g', '6WRIv8EHi-vftLANAJaq2A', 'said', '=ma925400a222b38d56b13f659 many too');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(35, 'xLp5SCE_GwT14NjHrqe48g', 'vn7cG_lIhKQfGPrOcnVngg', 'said', '=ma925400a222b38d56b13f659 many too');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(36, 'xLp5SCE_GwT14NjHrqe48g', 'vn7cG_lIhKQfGPrOcnVngg', 'reply', '=ma925400a222b38d56b13f659 it now works');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(37, 'PCShBMzUJsA9diiSKA0e1A', NULL, 'title', '=ta925400a222b38d56b13f659 are there you');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(38, 'PCShBMzUJsA9diiSKA0e1A', 'hyV-GB979jVm02d_QasDFQ', 'said', '=ma925400a222b38d56b13f659 are there you');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(39, 'PCShBMzUJsA9diiSKA0e1A', 'hyV-GB979jVm02d_QasDFQ', 'reply', '=ma925400a222b38d56b13f659 yes');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(40, 'PCShBMzUJsA9diiSKA0e1A', 'QqEo2PBP2LWvjxun2-P8PA', 'said', '=ma925400a222b38d56b13f659 and now');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(42, 'cAICSU24lQDuhAy7mViHZg', 'og3creP2ihdbT1NsUFh6kA', 'said', '=ma925400a222b38d56b13f659 me pin');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(43, 'cAICSU24lQDuhAy7mViHZg', 'og3creP2ihdbT1NsUFh6kA', 'reply', '=ma925400a222b38d56b13f659 me pin reply to');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(44, 'O-IIrU2sdxkbjBYhMpGmVA', NULL, 'title', '=ta925400a222b38d56b13f659 archive me');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(45, 'O-IIrU2sdxkbjBYhMpGmVA', 'GI8WN6Wd9wtSzwx-Wf3hkA', 'said', '=ma925400a222b38d56b13f659 archive me');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(46, 'O-IIrU2sdxkbjBYhMpGmVA', 'GI8WN6Wd9wtSzwx-Wf3hkA', 'reply', '=ma925400a222b38d56b13f659 archive me reply to');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(47, 'w8eFNzCxyrZmvdnob9KOug', NULL, 'title', '=ta925400a222b38d56b13f659 delete me');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(48, 'w8eFNzCxyrZmvdnob9KOug', 'B5M28hZYly9aHR6BImuB-A', 'said', '=ma925400a222b38d56b13f659 delete me');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(49, 'w8eFNzCxyrZmvdnob9KOug', 'B5M28hZYly9aHR6BImuB-A', 'reply', '=ma925400a222b38d56b13f659 delete me reply to');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(50, 'LnBEQ_avMSwOQVItl31sFQ', NULL, 'title', '=ta925400a222b38d56b13f659 hello odd one');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(51, 'LnBEQ_avMSwOQVItl31sFQ', 'vmQGmOQtGPWersbrUTAPpw', 'said', '=ma925400a222b38d56b13f659 hello odd one');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(52, 'LnBEQ_avMSwOQVItl31sFQ', 'vmQGmOQtGPWersbrUTAPpw', 'reply', '=ma925400a222b38d56b13f659 hello odd one reply to');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(53, 'cAICSU24lQDuhAy7mViHZg', NULL, 'title', '=ta925400a222b38d56b13f659 a new title');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(54, 's__EHBGrN9VOffyMiEKciQ', NULL, 'title', '=ta925400a222b38d56b13f659 during reply restart the');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(55, 's__EHBGrN9VOffyMiEKciQ', 'y8TVFY4GSnd_siPgyFi4pA', 'said', '=ma925400a222b38d56b13f659 during reply restart the');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(56, 's__EHBGrN9VOffyMiEKciQ', 'y8TVFY4GSnd_siPgyFi4pA', 'reply', '=ma925400a222b38d56b13f659 before restart the');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(57, 'JF0vaZXIEd_UU-K7TpmG3Q', 'gpXFAGpDI3ofyAuAL1lbaQ', 'said', '=ma925400a222b38d56b13f659 listens nobody');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(58, 'TcjuIfttpXQT2_r0_V3QGA', NULL, 'title', '=ta925400a222b38d56b13f659 during killed reply the');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(59, 'TcjuIfttpXQT2_r0_V3QGA', 'hFxPdvAkzyliJGQmrrtJEg', 'said', '=ma925400a222b38d56b13f659 during killed reply the');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(60, 'TcjuIfttpXQT2_r0_V3QGA', 'hFxPdvAkzyliJGQmrrtJEg', 'reply', '=ma925400a222b38d56b13f659 last words');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(61, 'LnBEQ_avMSwOQVItl31sFQ', 'NIII5kOHOFeG8NY0rY_yRw', 'said', '=ma925400a222b38d56b13f659 forbidden');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(62, 'l7x7G0FNX5zazxmf4uq7yQ', NULL, 'title', '=ta925400a222b38d56b13f659 at running the update');
INSERT INTO passages (id, conversation_id, turn_id, kind, words) VALUES
(63, 'l7x7G0FNX5zazxmf4uq7yQ', 'SYsLEufJtXJwLiVEhUHTxg', 'said', '=ma925400a222b38d56b13f659 at running the update');
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
