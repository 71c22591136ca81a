// MathJax sets the formulas again, with fonts of its own. Until it has, and its fonts are there, the text waits, so that
// no line moves under the reader's eyes; the style sheet ends the waiting after three seconds in any case.
document.documentElement.classList.add("waits-for-formulas");
const showText = () => document.documentElement.classList.remove("waits-for-formulas");
window.MathJax = {
  loader: { load: COMPONENTS },
  startup: {
    pageReady: () => MathJax.startup.defaultPageReady().then(() => document.fonts.ready).finally(showText),
  },
};
