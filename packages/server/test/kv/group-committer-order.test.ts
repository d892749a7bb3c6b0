import fc from "fast-check";
import { expect, it } from "vitest";
import { CommitterRig } from "./committer-rig.ts";

it("keeps order, splits nothing and forgets nobody, whatever arrives when", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("join" as const), operations: fc.integer({ min: 0, max: 5 }), sync: fc.boolean() }),
    fc.record({ kind: fc.constantFrom("turn" as const, "succeed" as const) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      async (steps, operationsMax) => {
        const rig = new CommitterRig(operationsMax);
        const joined: { name: string; operations: number; sync: boolean }[] = [];
        let settledWrites = 0;
        for (const [index, it] of steps.entries()) {
          if (it.kind === "join") {
            joined.push({ name: `j${index}.`, operations: it.operations, sync: it.sync });
            rig.join(`j${index}.`, { operations: it.operations, durability: it.sync ? "sync" : "async" });
          } else if (it.kind === "turn") {
            await rig.clock.turn();
          } else if (settledWrites < rig.kv.writes.length) {
            settledWrites = rig.kv.writes.length;
            await rig.kv.last.succeed();
          }
          expect(rig.kv.writes.length - settledWrites).toBeLessThanOrEqual(1);
        }
        for (let i = 0; i < steps.length + 2; i += 1) {
          await rig.clock.turn();
          if (settledWrites < rig.kv.writes.length) {
            settledWrites = rig.kv.writes.length;
            await rig.kv.last.succeed();
          }
        }
        expect(rig.heard.filter((line) => line !== "written")).toEqual(joined.map(({ name }) => name));
        const expected = joined.flatMap(({ name, operations }) =>
          Array.from({ length: operations }, (_, i) => `${name}${i}`),
        );
        expect(rig.kv.writes.flatMap(({ keys }) => keys)).toEqual(expected);
        for (const { name, operations, sync } of joined) {
          const homes = rig.kv.writes.filter(({ keys }) => keys.some((key) => key.startsWith(name)));
          expect(homes).toHaveLength(operations === 0 ? 0 : 1);
          if (sync && operations > 0) expect(homes[0]?.sync).toBe(true);
        }
        for (const { keys } of rig.kv.writes) {
          const beforeLast = keys.filter((key) => !key.startsWith((keys.at(-1) ?? "").replace(/\d+$/, "")));
          expect(beforeLast.length).toBeLessThan(operationsMax);
        }
      },
    ),
    { numRuns: 200 },
  );
});
