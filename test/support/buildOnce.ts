import { existsSync, mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { eventually } from "./eventually.ts"
import { runProgram } from "./launch.ts"

const rolldown = fileURLToPath(new URL("../node_modules/.bin/rolldown", import.meta.url))

const PATIENCE = 300_000

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

/** Makes a folder once a run, `done` being one of its files. Another suite that needs it meanwhile waits. */
export const makeOnce = async (target: string, done: string, make: (draft: string) => Promise<void>): Promise<void> => {
  const made = join(target, done)
  if (existsSync(made)) return
  const draft = `${target}.part`
  try {
    mkdirSync(draft)
  } catch {
    await eventually(`another suite has made ${made}`, () => (existsSync(made) ? true : undefined), PATIENCE)
    return
  }
  if (existsSync(made)) return
  await make(draft)
  renameSync(draft, target)
}

/** Builds a program once a run and returns its path. */
export const buildOnce = async ({ config, program, source, target }: Build): Promise<string> => {
  await makeOnce(target, program, async (draft) => {
    await runProgram(rolldown, ["-c", config, "--dir", draft], { cwd: source })
  })
  return join(target, program)
}
