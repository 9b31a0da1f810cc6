// Watches a page from inside: long tasks, long frames, and when a text is shown.
{
  const tasks = [];
  const frames = [];
  const watch = (type, durations) => new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) durations.push(duration);
  }).observe({ type, buffered: true });
  watch("longtask", tasks);
  // The browser reports long frames itself. A `requestAnimationFrame` callback for each frame would
  // cost more.
  watch("long-animation-frame", frames);

  const countNodes = () => {
    const all = document.createNodeIterator(document, NodeFilter.SHOW_ALL);
    let count = 0;
    while (all.nextNode()) count += 1;
    return count;
  };

  window.bench = {
    reset: () => {
      tasks.length = frames.length = 0;
    },
    report: () => ({ tasks, frames, nodes: countNodes() }),
    firstPaint: () => performance.getEntriesByName("first-contentful-paint")[0].startTime,
    // Resolves to the time at which the last element of `selector` contains `text`, in ms since the
    // start of the page. Looking for it before it can be there would only cost time.
    shown: (selector, text, delay = 0) => new Promise((resolve, reject) => {
      const look = () => {
        if ([...document.querySelectorAll(selector)].at(-1)?.textContent.includes(text)) {
          resolve(performance.now());
        } else {
          delay ? setTimeout(look, 50) : requestAnimationFrame(look);
        }
      };
      setTimeout(look, delay);
      setTimeout(reject, delay + 120_000, new Error(`${text} is not shown`));
    }),
  };
}
