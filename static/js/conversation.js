// Runs on conversation pages, after main.js and before htmx opens the stream of a reply.
import "./reply_stream.js";
import "./scrollable_regions.js";
import "./spoken_replies.js";
import "./autoscroll.js";
import "./tab_sync.js";
