// Entry module of conversations. The imports must be ready before htmx opens the stream of a reply.
import "./main.js";
import "./reply_stream.js";
import "./scrollable_regions.js";
import "./spoken_replies.js";
import "./menus.js";
import "./copy.js";
import "./autoscroll.js";
import "./tab_sync.js";
