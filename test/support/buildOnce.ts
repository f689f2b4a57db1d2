import { existsSync, mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { eventually } from "./eventually.ts"
import { runProgram } from "./launch.ts"

const rolldown = fileURLToPath(new URL("../node_modules/.bin/rolldown", import.meta.url))

export interface Build {
  /** The folder of the output in the run's folder, which the suites of a run share. */
  readonly target: string
  /** The folder of the package that is built. */
  readonly source: string
  /** The file of rolldown's configuration. */
  readonly config: string
  /** The file in the output that is run. */
  readonly program: string
}

/** Builds a program once a run and returns its path. Another suite that needs it meanwhile waits. */
export const buildOnce = async ({ config, program, source, target }: Build): Promise<string> => {
  const built = join(target, program)
  if (existsSync(built)) return built
  const draft = `${target}.part`
  try {
    mkdirSync(draft)
  } catch {
    return eventually("another suite has built the program", () => (existsSync(built) ? built : undefined))
  }
  if (existsSync(built)) return built
  await runProgram(rolldown, ["-c", config, "--dir", draft], { cwd: source })
  renameSync(draft, target)
  return built
}
