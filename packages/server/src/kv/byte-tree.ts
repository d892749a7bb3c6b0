/**
 * A sorted map of byte strings with free snapshots: a B+ tree that is copied where it is written.
 *
 *        branch  lowest key of each child      A node belongs to the edition in which it was made. Writing in an
 *       /  |  \                                edition changes its own nodes in place and copies older ones first;
 *    leaf leaf leaf  keys beside values        `freeze()` begins a new edition, so what a frozen root can reach
 *                                              never changes again, at the price of one path of copies per write.
 *
 * Bytes are held as latin1 strings: one character a byte, compared by the engine in exactly the order of bytes, a fifth of
 * the memory of a Buffer, and safe from a caller who goes on writing into what it gave away.
 * Nodes that run empty are cut out; half-empty ones are not merged: a queue empties its oldest leaves by itself.
 */

import { invariant } from "../base/assert.ts";

const fanout = 64;

interface Leaf {
  readonly kind: "leaf";
  readonly edition: number;
  readonly keys: string[];
  readonly values: string[];
}

interface Branch {
  readonly kind: "branch";
  readonly edition: number;
  /** Lowest key that each child may hold; that of the first child is never looked at. */
  readonly keys: string[];
  readonly children: Node[];
}

type Node = Leaf | Branch;

/** What a snapshot is: a root that nobody writes into any more. */
export interface FrozenTree {
  get(key: string): string | undefined;
  /** Entries from `gte` (inclusive) to `lt` (exclusive), in order or against it. */
  entries(gte: string, lt: string, reverse: boolean): Generator<readonly [key: string, value: string], void, undefined>;
}

export class ByteTree implements FrozenTree {
  #edition = 0;
  #root: Node = emptyLeaf(0);

  get(key: string): string | undefined {
    return find(this.#root, key);
  }

  entries(
    gte: string,
    lt: string,
    reverse: boolean,
  ): Generator<readonly [key: string, value: string], void, undefined> {
    return this.freeze().entries(gte, lt, reverse);
  }

  /** The map as it is now, for ever. */
  freeze(): FrozenTree {
    const root = this.#root;
    this.#edition += 1;
    return {
      get: (key) => find(root, key),
      entries: (gte, lt, reverse) => (reverse ? descend(root, gte, lt) : ascend(root, gte, lt)),
    };
  }

  put(key: string, value: string): void {
    const root = own(this.#root, this.#edition);
    const right = put(root, key, value, this.#edition);
    this.#root = right === undefined ? root : branchOf(this.#edition, root, right);
  }

  delete(key: string): void {
    if (find(this.#root, key) === undefined) return;
    const root = own(this.#root, this.#edition);
    remove(root, key, this.#edition);
    this.#root = shortened(root, this.#edition);
  }
}

function emptyLeaf(edition: number): Leaf {
  return { kind: "leaf", edition, keys: [], values: [] };
}

function branchOf(edition: number, left: Node, right: Node): Branch {
  return { kind: "branch", edition, keys: ["", right.keys[0] ?? ""], children: [left, right] };
}

/** The node itself if this edition made it, else a copy that it may write into. */
function own(node: Node, edition: number): Node {
  if (node.edition === edition) return node;
  if (node.kind === "leaf") return { kind: "leaf", edition, keys: node.keys.slice(), values: node.values.slice() };
  return { kind: "branch", edition, keys: node.keys.slice(), children: node.children.slice() };
}

/** Number of keys below `key`. */
function lowerBound(keys: readonly string[], key: string, from: number): number {
  let low = from;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(keys, middle) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The child that a key belongs to: the last one whose lowest key is not above it. */
function childIndex(branch: Branch, key: string): number {
  const index = lowerBound(branch.keys, key, 1);
  return index < branch.keys.length && branch.keys[index] === key ? index : index - 1;
}

function at<T extends string | Node>(items: readonly T[], index: number): T {
  const item = items[index];
  invariant(item !== undefined, "a tree was asked beyond the end of a node");
  return item;
}

function find(root: Node, key: string): string | undefined {
  let node = root;
  while (node.kind === "branch") node = at(node.children, childIndex(node, key));
  const index = lowerBound(node.keys, key, 0);
  return node.keys[index] === key ? node.values[index] : undefined;
}

/** Puts into a node of this edition; what did not fit comes back as its new neighbour to the right. */
function put(node: Node, key: string, value: string, edition: number): Node | undefined {
  if (node.kind === "leaf") {
    const index = lowerBound(node.keys, key, 0);
    if (node.keys[index] === key) {
      node.values[index] = value;
      return undefined;
    }
    node.keys.splice(index, 0, key);
    node.values.splice(index, 0, value);
    if (node.keys.length <= fanout) return undefined;
    const cut = cutOf(node, index);
    return { kind: "leaf", edition, keys: node.keys.splice(cut), values: node.values.splice(cut) };
  }
  const index = childIndex(node, key);
  const child = own(at(node.children, index), edition);
  node.children[index] = child;
  const right = put(child, key, value, edition);
  if (right === undefined) return undefined;
  node.keys.splice(index + 1, 0, right.keys[0] ?? "");
  node.children.splice(index + 1, 0, right);
  if (node.children.length <= fanout) return undefined;
  const cut = cutOf(node, index + 1);
  return { kind: "branch", edition, keys: node.keys.splice(cut), children: node.children.splice(cut) };
}

/** Growth at the end leaves full nodes behind, since ids only grow; elsewhere a node is cut in the middle. */
function cutOf(node: Node, inserted: number): number {
  return inserted === node.keys.length - 1 ? node.keys.length - 1 : node.keys.length >>> 1;
}

/** Takes a key that is there out of a node of this edition. */
function remove(node: Node, key: string, edition: number): void {
  if (node.kind === "leaf") {
    const index = lowerBound(node.keys, key, 0);
    node.keys.splice(index, 1);
    node.values.splice(index, 1);
    return;
  }
  const index = childIndex(node, key);
  const child = own(at(node.children, index), edition);
  node.children[index] = child;
  remove(child, key, edition);
  if (child.kind === "leaf" ? child.keys.length > 0 : child.children.length > 0) return;
  node.keys.splice(index, 1);
  node.children.splice(index, 1);
}

/** A root without a choice is replaced by its only child. */
function shortened(root: Node, edition: number): Node {
  let node = root;
  while (node.kind === "branch" && node.children.length <= 1) node = node.children[0] ?? emptyLeaf(edition);
  return node;
}

function* ascend(node: Node, gte: string, lt: string): Generator<readonly [string, string], void, undefined> {
  if (node.kind === "leaf") {
    for (let i = lowerBound(node.keys, gte, 0); i < node.keys.length && at(node.keys, i) < lt; i += 1) {
      yield [at(node.keys, i), at(node.values, i)];
    }
    return;
  }
  for (let i = childIndex(node, gte); i < node.children.length && (i === 0 || at(node.keys, i) < lt); i += 1) {
    yield* ascend(at(node.children, i), gte, lt);
  }
}

function* descend(node: Node, gte: string, lt: string): Generator<readonly [string, string], void, undefined> {
  if (node.kind === "leaf") {
    for (let i = lowerBound(node.keys, lt, 0) - 1; i >= 0 && at(node.keys, i) >= gte; i -= 1) {
      yield [at(node.keys, i), at(node.values, i)];
    }
    return;
  }
  const first = childIndex(node, gte);
  for (let i = childIndex(node, lt); i >= first; i -= 1) yield* descend(at(node.children, i), gte, lt);
}
