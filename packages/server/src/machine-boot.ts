import { readFileSync } from "node:fs";

/** Names the boot of this machine, another one after each start of it; undefined = the system does not say. */
export function machineBoot(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}
