// Watches a page from inside: long tasks, the gaps between frames, when something first was there.
{
  const bench = (window.bench = { tasks: [], gap: 0, at: 0 });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) bench.tasks.push(duration);
  }).observe({ type: "longtask", buffered: true });

  bench.reset = () => {
    bench.tasks = [];
    bench.gap = 0;
  };

  bench.frames = () => {
    let last = performance.now();
    const frame = (now) => {
      bench.gap = Math.max(bench.gap, now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };

  bench.until = (there) => {
    if (there()) bench.at = performance.now();
    else requestAnimationFrame(() => bench.until(there));
  };

  const last = (selector) => [...document.querySelectorAll(selector)].at(-1)?.textContent ?? "";

  // Told, not asked: a page that is busy for minutes answers nobody.
  bench.share = (selector) => {
    setInterval(() => {
      const text = last(selector);
      const mark = text.lastIndexOf("No. ");
      console.debug("bench shown", mark < 0 ? 0 : parseInt(text.slice(mark + 4, mark + 12), 10));
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
