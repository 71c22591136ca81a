// The answer fields of a page. What is typed survives a reload; what is right stands in the sheet, not in the text.
const bytes = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
const sheetOf = (field) => JSON.parse(new TextDecoder().decode(bytes(field.dataset.sheet)));

function remembered(name, value) {
  const key = `regattn:answer:${name}`;
  try {
    if (value === undefined) return sessionStorage.getItem(key) ?? "";
    sessionStorage.setItem(key, value);
  } catch { /* a page whose storage is locked forgets */ }
  return "";
}

// Text with names of code between backticks.
function typeset(message) {
  return message.split("`").map((part, index) => {
    if (index % 2 === 0) return part.replaceAll("*", "");
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
}

for (const field of document.querySelectorAll("[data-exercise]")) {
  const form = field.querySelector("form");
  const input = form.elements.namedItem("answer");
  const output = form.querySelector("output");
  const name = field.dataset.exercise;

  const say = (verdict, message) => {
    field.dataset.verdict = verdict;
    output.replaceChildren(...typeset(message));
  };

  input.value = remembered(name);
  input.addEventListener("input", () => {
    remembered(name, input.value);
    say("", "");
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [right, message] = judge(sheetOf(field), input.value);
    say("", "");
    setTimeout(() => say(right ? "right" : "wrong", message), 30); // the same words twice are read out twice
  });
  form.hidden = false;
}
