// Radio groups, one question at a time. Arrow keys choose, Enter or a click commits.
// Everything shown is text, never markup; `backticks` become <code>.

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const HOW = "Arrow keys choose, Enter commits.";
const ON = "Enter again for the next question.";
const NONE = -1;

function make(tag, className, attributes = {}) {
  const element = document.createElement(tag);
  element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function write(element, text) {
  element.replaceChildren(
    ...text.split("`").map((part, i) => {
      if (i % 2 === 0) return document.createTextNode(part);
      const code = document.createElement("code");
      code.textContent = part;
      return code;
    }),
  );
  return element;
}

/**
 * One question as a radio group. `choose(isKept)` is called when the learner moves to a choice, `commit(choice)` when
 * they commit, `next()` on a second Enter.
 */
function radioGroup(question, id, { choose, commit, next }) {
  const element = make("div", "ac-choice-group", { role: "radiogroup", "aria-labelledby": id });
  let chosen = NONE, kept = NONE, locked = false;

  const radios = question.choices.map(([title, detail], i) => {
    const radio = make("div", "ac-choice-radio", { role: "radio" });
    const words = make("div", "ac-choice-words");
    words.append(write(make("div", "ac-choice-title"), title));
    if (detail) words.append(write(make("div", "ac-choice-detail"), detail));
    const marks = make("div", "ac-choice-marks");
    radio.append(make("span", "ac-choice-dot", { "aria-hidden": "true" }), words, marks);
    radio.addEventListener("click", () => {
      radio.focus();
      if (!locked) commit(i);
    });
    element.append(radio);
    return { radio, marks };
  });

  function draw() {
    radios.forEach(({ radio }, i) => {
      radio.setAttribute("aria-checked", String(i === chosen));
      radio.toggleAttribute("data-kept", i === kept);
      radio.tabIndex = i === Math.max(chosen, 0) ? 0 : -1;
      if (locked) radio.setAttribute("aria-disabled", "true");
    });
  }

  function moveTo(choice) {
    if (locked) return;
    chosen = choice;
    draw();
    choose(chosen === kept);
  }

  element.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const here = radios.findIndex(({ radio }) => radio === event.target);
    if (event.key in STEPS) {
      const there = (here + STEPS[event.key] + radios.length) % radios.length;
      moveTo(there);
      radios[there].radio.focus();
    } else if (event.key === " ") {
      moveTo(here);
    } else if (event.key === "Enter") {
      if (locked || here === kept) next();
      else commit(here);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    element,
    update(answer, result) {
      chosen = kept = answer;
      locked = "status" in result;
      for (const { marks } of radios) marks.replaceChildren();
      for (const [choice, kind, word] of result.marks ?? []) {
        const mark = make("span", `ac-choice-mark ac-choice-mark-${kind}`);
        mark.textContent = kind === "right" ? `✓ ${word}` : word;
        radios[choice].marks.append(mark);
      }
      draw();
    },
  };
}

function render({ model, el }) {
  const questions = model.get("questions");
  const many = questions.length > 1;
  const id = `ac-choice-${crypto.randomUUID()}`;
  const root = make("section", `ac-root ac-choice ${many ? "ac-choice-many" : ""}`);
  const heading = make("div", "ac-choice-heading", { id });
  const stage = make("div", "ac-choice-stage");
  const status = make("div", "ac-choice-status", { role: "status" });
  const summary = make("div", "ac-choice-summary", { role: "status" });
  const message = make("div", "ac-choice-message", { role: "alert" });
  root.append(heading, stage, status);

  let shown = Math.max(0, model.get("answers").indexOf(NONE)), group;

  const say = (text) => write(status, text);

  function commit(choice) {
    const answers = [...model.get("answers")];
    answers[shown] = choice;
    model.set("answers", answers);
    model.save_changes();
    update();
  }

  function update() {
    const answer = model.get("answers")[shown], result = model.get("results")[shown] ?? {};
    group.update(answer, result);
    if (result.status) say(result.status);
    else if (answer !== NONE) say(`${questions[shown].kept} ${shown + 1 < questions.length ? ON : HOW}`);
    else say(`Choose an answer. ${HOW}`);
    write(summary, model.get("summary"));
    write(message, model.get("message"));
    pager?.update();
  }

  function show(index, focus = false) {
    shown = Math.min(Math.max(index, 0), questions.length - 1);
    write(heading, questions[shown].heading);
    group = radioGroup(questions[shown], id, {
      choose: (isKept) => (isKept ? update() : say("Not kept yet. Enter commits.")),
      commit,
      next: () => shown + 1 < questions.length && show(shown + 1, true),
    });
    stage.replaceChildren(group.element);
    update();
    if (focus) group.element.querySelector('[tabindex="0"]').focus();
  }

  const pager = many ? makePager() : null;
  function makePager() {
    const nav = make("nav", "ac-choice-pager", { "aria-label": "Questions" });
    const button = (text, label, go) => {
      const made = make("button", "ac-choice-page", { type: "button", "aria-label": label });
      made.textContent = text;
      made.addEventListener("click", go);
      nav.append(made);
      return made;
    };
    const back = button("‹", "Previous question", () => show(shown - 1));
    const pages = questions.map((_, i) => button(String(i + 1), "", () => show(i)));
    const forth = button("›", "Next question", () => show(shown + 1));
    root.append(nav);
    return {
      update() {
        back.disabled = shown === 0;
        forth.disabled = shown === questions.length - 1;
        pages.forEach((page, i) => {
          const state = model.get("results")[i]?.state ?? (model.get("answers")[i] === NONE ? "open" : "kept");
          page.dataset.state = state;
          const words = { open: "not answered", kept: "answered", right: "answered, right", other: "answered, settled" };
          page.setAttribute("aria-label", `Question ${i + 1}: ${words[state]}`);
          if (i === shown) page.setAttribute("aria-current", "true");
          else page.removeAttribute("aria-current");
        });
      },
    };
  }

  root.append(summary, message);
  el.append(root);
  show(shown);
  const changes = "change:answers change:results change:summary change:message";
  model.on(changes, update);
  return () => model.off(changes, update);
}

export default { render };
