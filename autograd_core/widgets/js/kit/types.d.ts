/** What Python sends of a tensor and of a widget's controls, and the model through which it does. */

/** A number as JSON: nan and inf are words, since JSON lacks them. */
export type Cell = number | string | boolean;

/** A tensor: its shape, its numbers in a row or null where they are too many to be sent, and its norm. */
export type Tensor = [shape: number[], values: Cell[] | null, norm: Cell];

/** Part of a sentence: how it is set ("" plain, "b" strong, "q" quiet, "v" value, "g" gradient, "c" code), and text. */
export type Run = [style: string, text: string];

type Events = GlobalEventHandlersEventMap;

type Listeners = { [Name in keyof Events as `on${Name}`]?: (event: Events[Name]) => void };

/** Attributes of an element; of the name of an event, "onclick", what is called when it happens. */
export interface Attributes extends Listeners {
  [name: string]: string | number | boolean | ((event: never) => void) | undefined;
}

interface Labelled {
  name: string;
  label: string;
  /** It needs a kernel and this page has none; or the reason why this page can't answer it. */
  fixed?: boolean | string;
}

export interface TextControl extends Labelled {
  kind: "text";
  value: string;
}

export interface SliderControl extends Labelled {
  kind: "slider";
  min: number;
  max: number;
  step: number;
  /** How far its buttons move it, the largest first: whole numbers of steps. */
  nudges?: number[];
  value: number;
}

export interface SwitchControl extends Labelled {
  kind: "switch";
  value: boolean;
}

export interface ChoiceControl extends Labelled {
  kind: "choice";
  choices: string[];
  value: string;
}

export type Control = TextControl | SliderControl | SwitchControl | ChoiceControl;

/** A widget's model, as anywidget hands it to a view; `State` is what is synchronised, by name. */
export interface Model<State> {
  get<Name extends keyof State & string>(name: Name): State[Name];
  set<Name extends keyof State & string>(name: Name, value: State[Name]): void;
  save_changes(): void;
  send(message: object): void;
  on(event: string, handler: Handler): void;
  off(event: string, handler: Handler): void;
}

export type Handler = (...values: never[]) => void;

/** Where other widgets' models are found, by what a trait says of one. */
export interface Host {
  getModel(reference: string): Promise<Model<any>>;
}

/** Draws a view of `model` into `el`; what it returns cleans up. */
export type Render<State> = (context: { model: Model<State>; el: HTMLElement }) => () => void;

/** What every widget with a Live frame is sent: see kit/live.py. */
export interface LiveState {
  controls: Control[];
  title: string;
  note: string;
  verdict: { text?: string; differs?: boolean };
  /** Of a picture that is drawn to measure: how wide. */
  width?: number;
  drawn: object;
}

/** Python's answer to a change: what it raised, "" where all went well. */
export interface Answer {
  kind: "answer";
  error: string;
}

/** A picture that Python has drawn twice: for pages with more and with less room. */
export interface Forms { wide: string; narrow: string }

/** The one model of a kernel that holds the bundle: see kit/bundle.py. */
export interface BundleState { version: string; script: string; style: string }

/** What is drawn for a list of open folds, and what changes in it. */
export type Folded = { drawn: { open: string[] }; changes: string };

/** What Python would answer in a page without a kernel: see kit/page.py. */
export interface Answers {
  /** By the keys of the open folds, in order. */
  folds?: Record<string, Folded>;
  /** The folds that have to be open for one to be seen open. */
  paths?: Record<string, string[]>;
  /** The values of settings. */
  stops?: Record<string, (number | string | boolean)[]>;
  /** The traits for each combination of them, by their places: "0,2". */
  changes?: Record<string, Record<string, unknown>>;
}

/** What anywidget hands to a stub, whose model says in `widget` which widget is drawn. */
export interface Context {
  model: Model<{ widget: string }>;
  el: HTMLElement;
  host: Host;
  signal: AbortSignal;
}
