// The notice that scripts show: one sentence.
const notices = document.getElementById("notices");
export const showNotice = (sentence) => {
  notices.innerHTML = "<p class=note><span></span></p>";
  notices.querySelector("span").textContent = sentence;
};
export const removeNotices = () => notices.replaceChildren();
export const noticeText = () => notices.textContent;
