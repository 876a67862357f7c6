"""Graph views on a page without a kernel: the page, and what stands in for the kernel's side of a model."""

import base64
import json

from playwright.sync_api import Page

from autograd_core.widgets import GraphView

# A model as anywidget hands it to `render`, without a kernel behind it.
MODEL = """
class Model {
  constructor(state) { Object.assign(this, { state, handlers: {}, sent: [], saved: 0 }); }
  get(name) { return this.state[name]; }
  set(name, value) { this.state[name] = value; this.fire(`change:${name}`); }
  on(name, handler) { (this.handlers[name] ??= new Set()).add(handler); }
  off(name, handler) { this.handlers[name].delete(handler); }
  fire(name, ...values) { for (const handler of this.handlers[name] ?? []) handler(...values); }
  save_changes() { this.saved += 1; }
  send(message) { this.sent.push(message); }
}
"""


def page_of(*views: GraphView) -> str:
    """A page with the views below each other; `models` and `ends` are theirs, `number` is the view's own."""
    def text(value) -> str:
        return json.dumps(value).replace("</", "<\\/")

    traits = [{name: getattr(view, name) for name in GraphView.class_own_traits(sync=True)} for view in views]
    return f"""<!doctype html><meta charset="utf-8"><title>views</title><style>{views[0]._css}</style>
<body data-jp-theme-light="true"><script type="module">{MODEL}
const module = await import(URL.createObjectURL(new Blob([{text(str(views[0]._esm))}], {{ type: "text/javascript" }})));
window.number = module.number;
window.render = module.default.render;
window.models = {text(traits)}.map((state) => new Model(state));
window.ends = models.map((model) => module.default.render({{ model, el: document.body.appendChild(document.createElement("div")) }}));
</script>"""


def event(page: Page, view: int = 0) -> int:
    return page.evaluate("view => models[view].state.event", view)


def answer(page: Page, view: GraphView, number: int = 0) -> list[dict]:
    """Hand what the page has asked of view `number` to `view`, as a kernel does, and its answers to the page."""
    questions = page.evaluate("number => models[number].sent.splice(0)", number)
    answers = []
    view.send = lambda content, buffers=(): answers.append((content, [base64.b64encode(b).decode() for b in buffers]))
    for question in questions:
        view._received(view, question, [])
    page.evaluate("""([number, answers]) => {
      const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      for (const [content, buffers] of answers) {
        models[number].fire("msg:custom", content, buffers.map((text) => new DataView(bytes(text).buffer)));
      }
    }""", [number, answers])
    return questions
