// A password can be shown while it is typed. It is hidden before it is sent, so that the browser does not remember it
// as other text.
const showPassword = (button, isShown) => {
  button.ariaPressed = isShown;
  button.previousElementSibling.type = isShown ? "text" : "password";
};
document.addEventListener("click", ({ target }) => {
  const button = target.closest(".password button");
  if (button) showPassword(button, button.ariaPressed === "false");
});
document.addEventListener("submit", ({ target }) => {
  for (const button of target.querySelectorAll(".password button")) showPassword(button, false);
});
