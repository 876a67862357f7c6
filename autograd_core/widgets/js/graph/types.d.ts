/** What Python sends of a trace: its structure, its numbers and its picture. See widgets/graph/view.py. */

import type { Cell, Control, LiveState, Run, Tensor } from "../kit/types.d.ts";

export interface GraphState {
  structure: Structure;
  drawn: Drawn;
  /** JSON of Numbers for each engine. */
  numbers: string;
  /** JSON of Changes for each engine. */
  changes: string;
  controls: Control[];
  slopes: Slope[];
  event: number;
  /** What the reader has run by hand: see `GraphView.you`. */
  you: { again?: boolean; [key: string]: unknown };
  /** To the latest change: which one, and what it raised. */
  answer: { change: number; error: string };
  /** No kernel answers: this page was saved. */
  saved?: boolean;
}

/**
 * A leaf under a slider: where it is, the loss there, its `.grad`, and the loss at places from `low` to `high`; null where
 * it is no finite number. `why` says why there is no curve.
 */
export interface Slope {
  name: string;
  low: number;
  high: number;
  at: number;
  loss: number | null;
  grad: Cell | null;
  curve: (number | null)[];
  why: string;
}

// ---- the structure: what stays the same while numbers change

export type NodeKind = "operation" | "severed" | "leaf" | "frozen" | "constant";

/** `recorded` and `ran` are the numbers of the events at which the node was recorded and ran back; 0 for never. */
export interface GraphNode {
  kind: NodeKind;
  short: string;
  rest: string;
  line: number | null;
  called: string;
  label: string;
  module: string;
  dtype: string;
  shape: number[] | null;
  /** Of a single number: the plain numbers of its call. */
  numbers: Record<string, number>;
  saved: { label: string; text: string; stale: boolean }[];
  rules: Run[][];
  slope: boolean;
  recorded: number;
  ran: number;
}

/**
 * `sent` is the number of the event at which a contribution came along it; 0 for never. `rule` is what its consumer
 * does to a gradient on the way: "× p · (1 − p)".
 */
export interface GraphEdge {
  consumer: number;
  slot: number;
  producer: number;
  sent: number;
  rule: string;
}

export type EventKind = "forward" | "loss" | "backward" | "accumulate" | "step" | "zero_grad";

export type PhaseName = "forward" | "loss" | "backward" | "step" | "zero_grad";

export interface TraceEvent {
  kind: EventKind;
  node: number;
  edges: number[];
  title: Run[];
  text: Run[];
  next: Run[];
}

/** A parameter with the node of its leaf, or with the reason why none gets a gradient, and where its path is cut. */
export interface Parameter {
  name: string;
  whole: string;
  shape: number[];
  node: number | null;
  reason: string;
  loose: string;
  short: string;
  frozen: boolean;
  path: string[];
  cut: string;
  source: string;
  place: string;
}

export interface Structure {
  title: string;
  note: string;
  notice: string;
  large: boolean;
  nodes: GraphNode[];
  edges: GraphEdge[];
  root: number;
  /** What gradients are gradients of. */
  name: string;
  parameters: Parameter[];
  leaves: boolean;
  events: TraceEvent[];
}

// ---- the numbers

export interface Numbers {
  engine: string;
  /** The answer on a model of one's own, in a line; [] for other traces. */
  line: [style: string, text: string, place: ["event" | "node" | "parameter", number] | null][];
  /** The nodes whose infinities are meant: a softmax consumes them. */
  masks: number[];
  /** Where the first inf and the first nan appear: the event, and the node of the leaf or constant they are from. */
  firsts: [word: string, event: number, origin: number | null][];
  /** By place, "sent 12 0": the largest difference from the first engine, and whether that is rounding alone. */
  differences: Record<string, [largest: Cell, close: boolean]>;
  values: (Tensor | null)[];
  grads: Record<number, Tensor>;
  events: [before: Tensor | null, after: Tensor | null, sent: Tensor[]][];
}

/** Where a tensor stands that Python sent. */
export type StoredPlace =
  | ["value", node: number]
  | ["grad", leaf: number]
  | ["before", event: number]
  | ["after", event: number]
  | ["sent", event: number, position: number];

/** A tensor that is the sum of others. */
export type SumPlace = ["sum", ...places: StoredPlace[]];

/** A tensor that is one divided by another: what was sent, by what had arrived. */
export type SlopePlace = ["slope", sent: StoredPlace, arrived: StoredPlace | SumPlace];

export type Place = StoredPlace | SumPlace | SlopePlace;

/** What is known of a node after an event: `here` whether it is recorded, `arrived` which of `all` edges have sent. */
export interface NodeState {
  here: boolean;
  done: boolean;
  /** Whether its value holds no nan and no inf but those that are meant. */
  sound: boolean;
  arrived: number[];
  all: number[];
  value: Tensor | null;
  gradient: Tensor | null;
  valueAt: StoredPlace;
  gradientAt: StoredPlace | SumPlace | null;
}

/** A row of the panel's table: of kind "v" a value, "g" a gradient. */
export type Row = [style: string, label: string, kind: "v" | "g", place: Place | null];

// ---- the picture

export interface Drawn {
  large: boolean;
  boxes: Box[];
  lines: GraphLine[];
  /** A wide and a narrow one; a large graph has only the wide one. */
  layouts: Layout[];
  /** The keys of all folds, and of those that are open. */
  folds: string[];
  open: string[];
  /** Of a large graph: the names of its outermost parts, and which of them each node belongs to, or -1. */
  parts?: string[];
  groups?: number[];
}

/** A box: of a fold, or of the frame around an open one, with its `key` and its `type`. */
export interface Box {
  kind: "node" | "leaf" | "plus" | "dot" | "fold" | "frame";
  nodes: number[];
  name?: string;
  key?: string;
  type?: string;
}

/** From a producer's box to a consumer's; it stands for all edges between the two. */
export interface GraphLine {
  from: number;
  to: number;
  edges: number[];
  cut: string;
  /** Nodes that only give a leaf another shape on its way, with their names. */
  dots: [node: number, name: string][];
}

export type Point = [x: number, y: number];

export type Rectangle = [x: number, y: number, width: number, height: number, split: number];

export interface Layout {
  width: number;
  height: number;
  boxes: Rectangle[];
  /** Whether it has numbers that stay large beside the panel. */
  big: boolean;
  svg: string;
}

// ---- what changes in it: see widgets/graph/changes.py

/** A text, or the same in fewer words each. */
export type Said = string | string[];

/** From event k on. */
export type Track<T> = [k: number, says: T][];

export interface Tracks {
  class?: Track<string>;
  value?: Track<Said>;
  gradient?: Track<Said>;
  caption?: Track<Said>;
}

export interface Changes {
  boxes: Tracks[];
  lines: { class?: Track<string>; pill?: Track<string>; weight?: Track<number> }[];
  start: Track<string>;
  /** Which sizes of gradients three widths of lines stand for. */
  legend: Track<string[]>;
}

// ---- maps of large tensors

/** A question for the map of a tensor, and Python's answer: see widgets/graph/tensors.py. */
export interface MapQuestion {
  kind: "map";
  engine: number;
  place: Place;
  plane: number;
}

interface MapFacts<Extreme> {
  rows: number;
  columns: number;
  block: [rows: number, columns: number];
  planes: number;
  lead: number[];
  low: Extreme;
  high: Extreme;
  zeros: number;
  nans: number;
}

export interface TensorMap extends MapFacts<number> {
  cells: number[];
}

export type MapAnswer = MapQuestion & (MapFacts<Cell> | { error: string });

// ---- the heat map of a training

export interface HistoryDrawn {
  /** The scale and the steps, as SVG. */
  head: string;
  /** The rows. */
  body: string;
  shown: "gradient" | "update" | "zeros";
  rows: string[];
  /** The row to see first. */
  first: number;
  steps: number;
  /** Steps in a column. */
  per: number;
  note: string;
  surprises: [step: number, sentence: string][];
  /** Surprises that are not listed. */
  more: number;
  /** In pixels. */
  places: { left: number; column: number; row: number };
}

/** `cells` are the numbers of the map. */
export interface HistoryState extends LiveState {
  drawn: HistoryDrawn;
  width: number;
  cells: DataView;
}
