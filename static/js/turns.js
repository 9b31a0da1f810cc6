// The turns of the page.
export const RUNNING_TURN = ".turn:is([data-state=waiting], [data-state=streaming])";
export const log = document.getElementById("log"); // the element that contains the turns
export const newestTurn = () => [...document.querySelectorAll(".turn")].at(-1);
export const newestMessage = () => {
  const message = newestTurn()?.querySelector(".turn__content").lastChild.cloneNode(true);
  message?.querySelectorAll(".code__copy").forEach((button) => button.remove());
  return message?.textContent;
};
