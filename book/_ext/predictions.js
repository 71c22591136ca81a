// Questions to predict. A choice marks the right option, sets the explorer that follows or uncovers the picture, opens the
// answer and brings what answers onto the screen; of several questions one is shown. Where the words of Press end in "Watch …
// until step 200.", the verdict waits until the explorer is there.
(() => {
  const make = (name, attributes, ...inside) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...inside);
    return made;
  };

  // The explorer of a question: the next one in its section, or else the last before it.
  function explorerOf(box) {
    const found = [...box.closest("section").querySelectorAll("figure.regattn")];
    const follows = (figure) => box.compareDocumentPosition(figure) & Node.DOCUMENT_POSITION_FOLLOWING;
    return found.find(follows) ?? found.at(-1);
  }

  function press(box) {
    const figure = explorerOf(box);
    const words = [...box.querySelectorAll(":scope > .press em")].map((word) => word.textContent);
    for (const word of figure ? words : []) {
      const own = [...figure.querySelectorAll("[data-preset]")].find((button) => button.dataset.preset === word);
      (own ?? figure.querySelector(`[data-play="${CSS.escape(word.toLowerCase())}"]`))?.click();
      const row = own?.parentElement;
      if (row) row.scrollLeft += own.getBoundingClientRect().left - row.getBoundingClientRect().left - 12;
    }
    return figure ? words : [];
  }

  // What to watch, and until which step, in the words of Press.
  function watched(box) {
    const found = box.querySelector(":scope > .press")?.textContent.match(/Watch .* until step (\d+)\./);
    return found ? { words: found[0], step: Number(found[1]) } : null;
  }

  // How the controls above the pictures stand.
  const settings = (figure) => [...figure.querySelectorAll(".ra-first [data-control]")].map((control) => control.value).join("\n");

  // Change a box of which the beginning has left the screen, without moving the explorer below it.
  function stay(figure, box, change) {
    const [above, before] = [box.getBoundingClientRect().top < 0, figure.getBoundingClientRect().top];
    change();
    if (above) scrollBy({ top: figure.getBoundingClientRect().top - before, behavior: "instant" });
  }

  // Scroll as little as it takes until what answers is on the screen.
  function show(picture) {
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    picture.scrollIntoView({ block: "nearest", behavior });
  }

  // The first picture of an explorer comes with the sentence and the numbers below it, where both fit; or with what its
  // own style asks for.
  function showExplorer(figure) {
    const lead = figure.querySelector(".ra-lead"), below = lead.nextElementSibling;
    const { scrollMarginTop, scrollMarginBottom } = getComputedStyle(lead);
    const room = innerHeight - lead.offsetHeight - Math.max(100, parseFloat(scrollMarginTop)); // below the page's header
    if (!parseFloat(scrollMarginBottom) || lead.style.scrollMarginBottom) {
      lead.style.scrollMarginBottom = `${Math.max(0, Math.min(below.offsetHeight + 12, room))}px`;
    }
    show(lead);
  }

  // Blur what a cell shows under a button, with the words about it that follow, and return what takes all that away.
  function cover(cell) {
    const output = cell.querySelector(".cell_output");
    const inside = [...output.children];
    const words = [];
    for (let next = cell.nextElementSibling; next?.matches("p"); next = next.nextElementSibling) words.push(next);
    const lift = make("button", { type: "button", class: "predict-lift" }, "Show without predicting");
    const uncover = () => {
      lift.remove();
      output.classList.remove("predict-covered");
      for (const part of inside) part.inert = false;
      for (const paragraph of words) paragraph.classList.remove("predict-covered-words");
    };
    for (const part of inside) part.inert = true;
    for (const paragraph of words) paragraph.classList.add("predict-covered-words");
    output.classList.add("predict-covered");
    output.append(lift);
    lift.addEventListener("click", uncover);
    return uncover;
  }

  // What cells tagged `predicted` show answers the questions before them that press nothing: covered until one is answered.
  function coverAnswers(group) {
    const asking = [...group.children].filter((box) => !box.querySelector(":scope > .press"));
    const cells = [];
    for (let next = group.nextElementSibling; next && !next.matches("section, .predictions"); next = next.nextElementSibling) {
      if (asking.length && next.matches(".tag_predicted")) cells.push(next);
    }
    const covers = cells.map(cover);
    for (const box of asking) {
      box.addEventListener("predicted", () => {
        const first = cells[0]?.querySelector(".predict-covered");
        if (first) requestAnimationFrame(() => show(first));
        for (const uncover of covers) uncover();
      });
    }
  }

  // The words under the options are often off the screen then: they stand above that picture too.
  function repeat(text, figure) {
    const lead = figure.querySelector(".ra-lead");
    const line = figure.querySelector(".predict-repeated") ?? make("p", { class: "predict-repeated", "aria-hidden": "true" });
    line.textContent = text;
    lead?.before(line);
    const forget = () => (line.textContent = "\u00a0"); // with the next hand it may be true no more; its room stays
    for (const kind of ["pointerdown", "keydown"]) figure.addEventListener(kind, forget, { once: true });
  }

  function choices(box, answer) {
    const title = answer.querySelector("strong").textContent;
    const right = title.slice(title.indexOf(": ") + 2, -1).toLowerCase();
    const isRight = (option) => option.textContent.trim().toLowerCase() === right;
    const list = box.querySelector(":scope > ul");
    const said = make("p", { class: "predict-said", role: "status" });
    let waiting = 0;
    const buttons = [...list.children].map((option) => {
      const inside = option.children.length === 1 && option.firstElementChild.tagName === "P" ? option.firstElementChild : option;
      return make("button", { type: "button", "aria-pressed": "false" }, ...inside.childNodes);
    });
    for (const button of buttons) {
      button.addEventListener("click", () => {
        clearInterval(waiting);
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        const [words, figure, watch] = [press(box), explorerOf(box), watched(box)];
        const pressed = words.length ? `Pressed: ${words.join(", ")}.` : ""; // true also when another is pressed later
        const tell = (text) => {
          said.textContent = text;
          if (words.length) repeat(text, figure);
        };
        const set = watch && figure && settings(figure);
        const still = () => figure && settings(figure) === set; // with another text it shows no evidence
        const onItsWay = () => figure?.model?.get("step") < watch.step;
        const judge = () => {
          clearInterval(waiting);
          for (const other of buttons) other.classList.toggle("predict-right", isRight(other));
          const seen = watch && !onItsWay() && still() && figure.dataset.evidence ? `: ${figure.dataset.evidence}` : "";
          tell(`${isRight(button) ? "Right" : "Not this time"}${seen}.${pressed && ` ${pressed}`}`);
          answer.hidden = false;
          answer.open = true;
          box.dispatchEvent(new Event("predicted"));
        };
        if (watch && onItsWay()) {
          tell(`${pressed} ${watch.words}`);
          waiting = setInterval(() => (onItsWay() && still()) || stay(figure, box, judge), 200);
        } else judge();
        if (words.length) requestAnimationFrame(() => showExplorer(figure));
      });
    }
    list.replaceWith(make("div", { class: "predict-options", role: "group", "aria-label": "Your prediction" }, ...buttons), said);
  }

  // One of several questions at a time, with the way to the others.
  function walk(group) {
    const boxes = [...group.children];
    if (boxes.length < 2) return;
    let now = 0;
    const back = make("button", { type: "button" }, "Back"), next = make("button", { type: "button" }, "Next question");
    const where = make("span", { "aria-live": "polite" });
    const show = (place) => {
      now = place;
      boxes.forEach((box, k) => box.classList.toggle("predict-waits", k !== now));
      where.textContent = `${now + 1} of ${boxes.length}`;
      back.disabled = now === 0;
      next.disabled = now === boxes.length - 1;
    };
    const turn = (by) => {
      const line = explorerOf(group)?.querySelector(".predict-repeated");
      if (line) line.textContent = "\u00a0";
      show(now + by);
    };
    back.addEventListener("click", () => turn(-1));
    next.addEventListener("click", () => turn(1));
    group.append(make("div", { class: "predict-walk" }, back, where, next));
    show(0);
  }

  for (const box of document.querySelectorAll(".predict")) {
    const answer = box.querySelector(":scope > details");
    answer.querySelector("summary").textContent = "Why?";
    answer.hidden = true;
    choices(box, answer);
  }
  for (const group of document.querySelectorAll(".predictions")) {
    coverAnswers(group);
    walk(group);
  }
})();
