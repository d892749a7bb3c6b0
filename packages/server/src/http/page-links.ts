import type { PageLinks } from "@millrace/protocol/job-view";

/** A page that was answered, as its links need it. */
export interface PageShown {
  /** Relative, without a prefix: clients request links verbatim. */
  readonly path: string;
  readonly from: string | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
  /** Further parameters, encoded. */
  readonly filter: readonly string[];
  /** Cursors of the first and the last row; undefined = an empty page. */
  readonly rows: { readonly first: string; readonly last: string } | undefined;
  /** Whether at least one more row matches. */
  readonly more: boolean;
}

/**
 * The links of a page (http-api.md 10.1). `self` echoes the effective parameters. `prev` walks backwards from the first row, so its order
 * is the reverse, and it is there whenever the page was reached by a cursor: whether anything lies before is not looked up.
 */
export function pageLinks(page: PageShown): PageLinks {
  const { rows, order } = page;
  const reversed = order === "asc" ? "desc" : "asc";
  return {
    self: link(page, page.from, order),
    next: rows !== undefined && page.more ? link(page, rows.last, order) : null,
    prev: rows !== undefined && page.from !== undefined ? link(page, rows.first, reversed) : null,
  };
}

function link(page: PageShown, from: string | undefined, order: "asc" | "desc"): string {
  const cursor = from === undefined ? [] : [`from=${encodeURIComponent(from)}`];
  return `${page.path}?${[...cursor, `order=${order}`, `limit=${page.limit}`, ...page.filter].join("&")}`;
}
