// Times are the reader's own; without scripts they are the server's, and their title says so.
{
  // To make a format takes longer than to use it.
  const write = (time, kind) => (kind.made ??= new Intl.DateTimeFormat(LANGUAGE, kind)).format(time);
  const TODAY = { timeStyle: "short" };
  const THIS_YEAR = { day: "numeric", month: "long" };
  const BEFORE = { dateStyle: "long" };
  const EXACT = { dateStyle: "medium", timeStyle: "medium" };
  whenNew(() => {
    const now = new Date();
    for (const time of document.querySelectorAll("time")) {
      const then = new Date(time.dateTime);
      const today = then.toDateString() === now.toDateString() || time.matches(".clock");
      const words = write(then, today ? TODAY : then.getFullYear() === now.getFullYear() ? THIS_YEAR : BEFORE);
      // A sentence that is written anew is read out anew.
      if (time.textContent !== words) time.textContent = words;
      time.title = write(then, EXACT);
    }
  });
}
