import { fileURLToPath } from "node:url"
import { launch, type Launched } from "../../../../support/launch.ts"

/** Runs a script of this folder as a process of its own. */
export const launchScript = (script: string, ...args: ReadonlyArray<string>): Promise<Launched> =>
  launch(process.execPath, ["--conditions=@edp/source", fileURLToPath(new URL(script, import.meta.url)), ...args])
