import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a command can be started: a path to an executable file, or a name that `PATH` has one for. */
export function isCommand(command: string, searchPath: string | undefined): boolean {
  if (command.includes("/")) return isExecutable(command);
  return (searchPath ?? "")
    .split(delimiter)
    .some((folder) => isExecutable(join(folder === "" ? "." : folder, command)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
