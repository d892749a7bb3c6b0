import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** What nobody wrote by hand: installed, built or kept by a tool. */
const skipped = new Set(["node_modules", "dist", ".git", ".cache", "millrace-data", "coverage"]);

/** All regular files below a directory, as sorted paths relative to it. */
export async function listFiles(root: string): Promise<string[]> {
  const files: string[] = [];
  const visit = async (directory: string): Promise<void> => {
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      if (skipped.has(entry.name)) continue;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) files.push(relative(root, path));
    }
  };
  await visit(root);
  return files.sort();
}
