/** What Python sends to the widgets of lessons. */

import type { Cell, Forms, LiveState } from "../kit/types.d.ts";

// ---- questions

export interface Question {
  heading: string;
  /** A detail may be "". */
  choices: [title: string, detail: string][];
  /** What is said as soon as there is an answer. */
  kept: string;
}

/** What Python tells about an answer; nothing as long as it is open. */
export interface Result {
  status?: string;
  marks?: [choice: number, kind: "right" | "yours" | "before", word: string][];
  state?: "right" | "other";
}

export interface ChoiceState {
  questions: Question[];
  /** An index of the choices each, or -1. */
  answers: number[];
  results: Result[];
  message: string;
  summary: string;
}

// ---- curves, and the film of a training

/** Where the curves stand on the picture, in pixels. */
export interface CurvePlaces {
  left: number;
  right: number;
  top: number;
  bottom: number;
  steps: number;
}

export interface CurveLine {
  panel: string;
  name: string;
  /** "value" or "gradient". */
  role: string;
  values: (Cell | null)[];
  /** Of the run that it is compared with. */
  other: (Cell | null)[] | null;
}

/** Where on the picture of the bowl the ball is at a step, and its lines: attributes. */
export type BallPlace = Partial<Record<"ball" | "slope" | "pile" | "negative" | "wedge" | "next",
  Record<string, number | string>>>;

export interface CurvesDrawn {
  svg: string;
  places: CurvePlaces;
  x: string;
  lines: CurveLine[];
  /** false where the ball is not to be seen. */
  bowl: { svg: string; at: (BallPlace | false)[] } | null;
  /** The step that is read at first, if not the last one. */
  opens: number | null;
}

export interface CurvesState extends LiveState {
  drawn: CurvesDrawn;
  engine: string;
  against: string;
  width: number;
}

/** `at` is the step of each frame, `opens` of the first that is seen. */
export interface FilmDrawn extends CurvesDrawn {
  at: number[];
  opens: number;
  shape: [kinds: number, frames: number, channels: number, height: number, width: number];
  /** The names of what is to be found, and of the maps of a frame. */
  known: string[];
  channels: string[];
}

export interface FilmState extends CurvesState {
  drawn: FilmDrawn;
  frames: DataView;
  truth: DataView;
}

/** The paths of what is true, of the snake of each frame, and of each frame with all losses; the loss that is off. */
export interface SnakeDrawn extends FilmDrawn {
  outlines: string[];
  snakes: string[][];
  whole: string[][];
  off: string;
  /** The maps that only the loss that is off would train. */
  silent: string[];
  told: string;
  /** What the measures are taken on. */
  scored: string;
  units: string[];
  constants: (number | null)[];
}

export interface SnakeState extends FilmState {
  drawn: SnakeDrawn;
}

// ---- pictures that Python draws whole

export interface DrawingState extends LiveState {
  drawn: Forms;
}

/** The lines of the program, each with whether it runs. After an error, `old` is true. */
export interface SwitchboardState extends LiveState {
  drawn: Forms & { full: string; folded: string; program: [string, boolean][]; old: boolean };
}

/** `columns`: how many kernels each loss reads. `end`: of the scale of the maps. */
export interface LossTreeState extends LiveState {
  drawn: Forms & Record<"tree" | "table" | "difference" | "told" | "key", string> & { columns: number[]; end: number };
}

// ---- a loss, line by line

/** A line of the loss. `share` is how dark its mark is, null for a line that sends no gradient. */
export interface CodeLine {
  text: string;
  /** Of its result. */
  name: string;
  share: number | null;
  /** Whether it sends nan. */
  wrong: boolean;
  /** Where what it sends isn't 0: the map times the number of pixels, plus the pixel. null is nan. */
  at: number[];
  is: (number | null)[];
  told: string;
  changed: boolean;
  offers: string[];
  /** Whether it can be moved up. */
  moves: boolean;
  error: string;
  warns: boolean;
}

/** A row of the table: a batch, and what came of it. */
export interface BatchRow { batch: string; passed: boolean; error?: string; loss?: string; nan?: number; learn?: number }

export interface LineByLineState extends LiveState {
  drawn: {
    lines: CodeLine[];
    maps: [heading: string, names: string[]][];
    joins: string[];
    key: string;
    shape: [rows: number, columns: number];
    /** Paths: around the pixels to learn, around those to ignore, and over those to ignore. */
    outlines: string[];
    /** The address of the input as a picture, or "". */
    crop: string;
    end: number;
    /** Whether the picture is of the code before an error. */
    old: boolean;
    rows: BatchRow[];
    badge: string;
    warning: string;
  };
  path: { pixel?: [row: number, column: number, map: number]; numbers?: Record<string, string>; starts?: number;
    told?: string };
}

/** A version of the code: its loss, what each node points to, and the `.grad` of each parameter. */
export interface Version {
  loss: string;
  pointers: Record<string, string[]>;
  gradients: Record<string, string>;
}

export interface ReachableState extends LiveState {
  drawn: Forms & {
    versions: Version[];
    cards: { code: string; mini: string; count: number }[];
    /** What each variable of the code refers to. */
    names: Record<string, string[]>;
  };
}

// ---- memory over time

/** The units that are saved after an event, the nodes that there are, and those that hold something. */
export interface MemoryEvent {
  node: string;
  kind: "forward" | "backward" | "deleted";
  units: number;
  nodes: string[];
  holding: string[];
}

export interface MemoryWay {
  name: string;
  code: string;
  events: MemoryEvent[];
  peak: number;
  passes: number;
  curve: string;
  graph: string;
}

/** `length` is that of the longest way; `left` and `height` (pixels), `most` (units) are of the curves' axes. */
export interface MemoryState extends LiveState {
  drawn: { ways: MemoryWay[]; length: number; opens: number; left: number; height: number; most: number };
}

// ---- moves by hand

/** What a state tells, in the order of `names`; null is None. */
export type Numbers = (number | null)[];

/** `leads`: from a state by a move to the place of the next. `ends`: the states that end the game early. */
export interface HandsDrawn {
  svg: string;
  names: string[];
  states: Numbers[];
  leads: number[][];
  moves: string[];
  most: number;
  ends: number[];
}

/**
 * The loss is the first number of a state; `rival` are SGD's, `range` what the picture shows. At the end `map` takes
 * its place: `at` is where each state is there, `trail` where SGD is after each move.
 */
export interface OptimizerDrawn extends HandsDrawn {
  states: number[][];
  rival: number[];
  places: CurvePlaces;
  range: Pair;
  map: string;
  at: Pair[];
  trail: Pair[];
}

export interface CallsDrawn extends HandsDrawn {
  at: (BallPlace | false)[];
  goal: number;
  within: number;
}

/** `walked` are the moves so far. */
export interface HandsState<Drawn extends HandsDrawn> extends LiveState {
  drawn: Drawn;
  walked: number[];
}

// ---- the map of pixels

/** What the panel says of a pixel: where it is, and its numbers, for each output and for their sum. */
export interface PixelCell {
  where: string;
  rows: string[][];
}

/** `opens` is the pixel that is selected first, `key` the legend. After an error, `old` is true. */
export interface MiningState extends LiveState {
  drawn: {
    svg: string;
    cells: PixelCell[];
    columns: number;
    headings: string[];
    opens: number;
    plot: string;
    key: string[];
    summary: string;
    formula: string;
    loss: string;
    old: boolean;
  };
}

// ---- the painted mask

/** What the reader painted on a cell: whether it is in the mask, and its poison or "". */
export type Paint = [masked: boolean, poison: string];

export interface PaintState extends LiveState {
  drawn: { grid: string; cards: string; cells: Paint[]; end: string };
}

// ---- the optimizers' race

export type Pair = [x: number, y: number];

/** An optimizer: its look, and for each step where it is on the map, its loss and its numbers. */
export interface Runner {
  name: string;
  colour: string;
  /** Of its marker. */
  shape: string;
  path: Pair[];
  /** Where its name stands. */
  label: Pair[];
  /** Where PyTorch's is. */
  marks: [step: number, x: number, y: number][];
  /** Its own learning rate; null if all have that of the slider. */
  rate: number | null;
  loss: Cell[];
  rows: [key: string, numbers: [Cell, Cell][]][];
}

export interface RaceState extends LiveState {
  by_hand: boolean;
  /** Of each mark the step, and whether it was near enough. */
  landed: [step: number, right: boolean][];
  drawn: {
    /** The map. */
    svg: string;
    /** What of x and y it shows. */
    view: [x: Pair, y: Pair];
    start: Pair;
    /** The least loss there is. */
    lowest: number;
    /** The upper end of the loss axis, above the least loss. */
    top: number;
    steps: number;
    /** The step that is shown first. */
    at: number;
    note: string;
    runners: Runner[];
  };
}

// ---- the wards

export interface WardPlaces { left: number; column: number; row: number; tops: [gradient: number, moved: number] }

/** `faulty` are the lines with the bug, -1 for a line that is missing; `readings` tell a row at a step. */
export interface WardState extends LiveState {
  drawn: Forms & Record<"loop" | "goal" | "because" | "said" | "error", string> & {
    loops: number;
    faulty: number[];
    questions: string[];
    alarms: string[];
    places: Record<keyof Forms, WardPlaces>;
    readings: string[][];
    tests: [name: string, text: string, svg: string][];
  };
}
