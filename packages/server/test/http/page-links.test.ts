import { describe, expect, it } from "vitest";
import { type PageShown, pageLinks } from "../../src/http/page-links.ts";

function page(over: Partial<PageShown> = {}): PageShown {
  const rows = { first: "f", last: "l" };
  return { path: "/jobs", from: undefined, order: "asc", limit: 50, filter: [], rows, more: false, ...over };
}

describe("the links of a page", () => {
  it("show order and limit always, and the cursor first", () => {
    expect(pageLinks(page()).self).toBe("/jobs?order=asc&limit=50");
    expect(pageLinks(page({ from: "a b", filter: ["queue=x"], order: "desc", limit: 7 })).self).toBe(
      "/jobs?from=a%20b&order=desc&limit=7&queue=x",
    );
  });

  it("lead on from the last row exactly when more rows match", () => {
    expect(pageLinks(page({ more: true, order: "desc" })).next).toBe("/jobs?from=l&order=desc&limit=50");
    expect(pageLinks(page()).next).toBeNull();
  });

  it("lead back from the first row in reversed order when the page has a cursor and rows", () => {
    expect(pageLinks(page({ from: "x" })).prev).toBe("/jobs?from=f&order=desc&limit=50");
    expect(pageLinks(page({ from: "x", order: "desc" })).prev).toBe("/jobs?from=f&order=asc&limit=50");
    expect(pageLinks(page()).prev).toBeNull();
  });

  it("are null on an empty page", () => {
    expect(pageLinks(page({ from: "x", rows: undefined, more: false }))).toMatchObject({ next: null, prev: null });
  });
});
