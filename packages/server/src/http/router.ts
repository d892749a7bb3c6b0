/** One method of one path. */
export interface RouteEntry {
  readonly method: string;
  /** Segments; `{name}` stands for any one that is not empty. */
  readonly path: string;
}

export type Match<R extends RouteEntry> =
  | {
      readonly kind: "route";
      /** As the route spells it. */
      readonly path: string;
      readonly route: R;
      /** Decoded, in order. */
      readonly parameters: readonly string[];
      /** False when one of them could not be decoded. */
      readonly encodingValid: boolean;
    }
  /** The path is known, the method is not. */
  | { readonly kind: "method"; readonly path: string; readonly allow: string }
  | { readonly kind: "none" };

interface Node<R> {
  readonly children: Map<string, Node<R>>;
  parameter: Node<R> | undefined;
  readonly routes: Map<string, R>;
  path: string;
  allow: string;
}

const NONE = { kind: "none" } as const;

/**
 * Finds routes segment by segment. A static segment wins over a parameter for good: `/jobs/take` is never the job `take`. HEAD
 * is answered by the route of GET.
 */
export class Router<R extends RouteEntry> {
  readonly #root: Node<R> = emptyNode();

  constructor(routes: Iterable<R>) {
    for (const route of routes) this.#add(route);
  }

  match(method: string, path: string): Match<R> {
    if (!path.startsWith("/")) return NONE;
    let node = this.#root;
    let encodingValid = true;
    const parameters: string[] = [];
    for (const raw of path.slice(1).split("/")) {
      const decoded = raw.includes("%") ? decode(raw) : raw;
      const segment = decoded ?? raw;
      const child = node.children.get(segment);
      if (child !== undefined) {
        node = child;
        continue;
      }
      if (node.parameter === undefined || segment === "") return NONE;
      node = node.parameter;
      parameters.push(segment);
      encodingValid &&= decoded !== undefined;
    }
    if (node.routes.size === 0) return NONE;
    const route = node.routes.get(method === "HEAD" ? "GET" : method);
    if (route === undefined) return { kind: "method", path: node.path, allow: node.allow };
    return { kind: "route", path: node.path, route, parameters, encodingValid };
  }

  #add(route: R): void {
    let node = this.#root;
    for (const segment of route.path.slice(1).split("/")) {
      if (segment.startsWith("{")) {
        node.parameter ??= emptyNode();
        node = node.parameter;
      } else {
        const child = node.children.get(segment) ?? emptyNode();
        node.children.set(segment, child);
        node = child;
      }
    }
    node.routes.set(route.method, route);
    node.path = route.path;
    const methods = Array.from(node.routes.keys()).flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    node.allow = methods.join(", ");
  }
}

/** The path of a request target and the text after its `?`. A target in absolute form is cut down to its path. */
export function splitTarget(target: string): { path: string; query: string } {
  const question = target.indexOf("?");
  const path = question === -1 ? target : target.slice(0, question);
  return {
    path: path.startsWith("/") ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "") || path,
    query: question === -1 ? "" : target.slice(question + 1),
  };
}

function emptyNode<R>(): Node<R> {
  return { children: new Map(), parameter: undefined, routes: new Map(), path: "", allow: "" };
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
