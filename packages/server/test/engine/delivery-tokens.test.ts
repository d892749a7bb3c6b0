import { expect, it } from "vitest";
import { DeliveryTokens } from "../../src/engine/delivery-tokens.ts";

it("gives tokens of the promised alphabet and one width", () => {
  const tokens = new DeliveryTokens(1_780_000_000);
  expect(tokens.next()).toMatch(/^[A-Za-z0-9_-]{17}$/);
});

it("gives tokens that sort bytewise in the order of hand-outs, over the carry and over lives", () => {
  const tokens = new DeliveryTokens(7);
  let last = "";
  for (let i = 0; i < 36 ** 4 + 10; i += 1) {
    const token: string = tokens.next();
    if (!(last < token)) expect.fail(`${token} does not follow ${last}`);
    last = token;
  }
  expect(last < new DeliveryTokens(8).next()).toBe(true);
});
