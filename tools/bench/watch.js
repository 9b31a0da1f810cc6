// Watches a page from inside: long tasks, long frames, and when a condition was first true.
{
  const bench = (window.bench = { tasks: [], frames: [], at: 0 });
  const watch = (type, durations) => new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) durations().push(duration);
  }).observe({ type, buffered: true });
  watch("longtask", () => bench.tasks);
  // The browser reports long frames itself. A `requestAnimationFrame` callback for each frame would
  // cost more.
  watch("long-animation-frame", () => bench.frames);

  bench.reset = () => {
    bench.tasks = [];
    bench.frames = [];
  };

  bench.until = (there) => {
    if (there()) bench.at = performance.now();
    else requestAnimationFrame(() => bench.until(there));
  };

  const last = (selector) => [...document.querySelectorAll(selector)].at(-1)?.textContent ?? "";

  // Log to the console, because a page that is busy for minutes does not answer the benchmark.
  bench.share = (selector) => {
    setInterval(() => {
      const [, number] = last(selector).match(/.*No\. (\d+)/s) ?? [0, 0];
      console.debug("bench shown", number);
    }, 1000);
  };

  // Looking for the end before it can be there would only cost time.
  bench.wait = ({ whole, end, after }) => {
    const look = () => {
      if (last(whole).includes(end)) {
        console.debug("bench ended", (performance.timeOrigin + performance.now()) / 1000);
      } else {
        setTimeout(look, 50);
      }
    };
    setTimeout(look, after * 1000);
  };
}
