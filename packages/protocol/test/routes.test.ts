import { expect, test } from "vitest";
import { pathTo, type Route, routes } from "../src/routes.ts";

test("no two routes share a method and a path", () => {
  const all = Object.values<Route>(routes).map((route) => `${route.method} ${route.path.replace(/\{\w+\}/g, "{}")}`);
  expect(new Set(all).size).toBe(all.length);
});

test("a path's parameters are filled in and encoded as one segment each", () => {
  expect(pathTo("getError", { id: "a/b c?", attempt: 3 })).toBe("/jobs/a%2Fb%20c%3F/errors/3");
  expect(pathTo("listJobs", {})).toBe("/jobs");
});
