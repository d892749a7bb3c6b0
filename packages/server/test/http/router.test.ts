import { describe, expect, it } from "vitest";
import { Router, splitTarget } from "../../src/http/router.ts";

const router = new Router([
  { method: "GET", path: "/jobs" },
  { method: "POST", path: "/jobs" },
  { method: "GET", path: "/jobs/{id}" },
  { method: "GET", path: "/jobs/take" },
  { method: "POST", path: "/jobs/{id}/success" },
  { method: "GET", path: "/queues/{queue}" },
]);

describe("a route", () => {
  it("is found by method and path, with its parameters decoded", () => {
    expect(router.match("POST", "/jobs/abc/success")).toMatchObject({ kind: "route", parameters: ["abc"] });
    expect(router.match("GET", "/queues/a%2Fb%20c")).toMatchObject({ kind: "route", parameters: ["a/b c"] });
  });

  it("with a static segment wins over a parameter, also when that segment is encoded", () => {
    expect(router.match("GET", "/jobs/take")).toMatchObject({ path: "/jobs/take", parameters: [] });
    expect(router.match("GET", "/jobs/%74ake")).toMatchObject({ path: "/jobs/take" });
    expect(router.match("POST", "/jobs/take/success")).toEqual({ kind: "none" });
  });

  it("of GET answers HEAD", () => {
    expect(router.match("HEAD", "/jobs")).toMatchObject({ kind: "route", route: { method: "GET" } });
  });

  it("says when its parameter is not well encoded", () => {
    expect(router.match("GET", "/jobs/%zz")).toMatchObject({ kind: "route", encodingValid: false });
    expect(router.match("GET", "/jobs/%ff")).toMatchObject({ kind: "route", encodingValid: false });
  });

  it("of another method names those that are allowed", () => {
    expect(router.match("PUT", "/jobs")).toEqual({ kind: "method", path: "/jobs", allow: "GET, HEAD, POST" });
    expect(router.match("get", "/jobs")).toMatchObject({ kind: "method" });
    expect(router.match("POST", "/jobs/take")).toMatchObject({ kind: "method", allow: "GET, HEAD" });
  });

  it.each(["/", "", "*", "/job", "/jobs/", "/jobs//success", "/jobs/a/b", "//jobs", "/%zz"])(
    "is none for %j",
    (path) => {
      expect(router.match("GET", path)).toEqual({ kind: "none" });
    },
  );
});

describe("a request target", () => {
  it.each([
    ["/jobs", "/jobs", ""],
    ["/jobs?", "/jobs", ""],
    ["/jobs?a=b?c", "/jobs", "a=b?c"],
    ["http://host:1/jobs?a", "/jobs", "a"],
    ["*", "*", ""],
  ])("%j is the path %j with the query %j", (target, path, query) => {
    expect(splitTarget(target)).toEqual({ path, query });
  });
});
