import type { SpawnOptions } from "node:child_process"
import { launch } from "./launch.ts"

/** Runs a program to its end and answers what it printed; fails with all its output when it does not end well. */
export const runProgram = async (
  command: string,
  args: ReadonlyArray<string>,
  options: SpawnOptions = {}
): Promise<string> => {
  const program = await launch(command, args, options)
  const { code, signal } = await program.exited
  if (code === 0) return program.stdout()
  throw new Error(`${command} ${args.join(" ")} ended with ${signal ?? code}:\n${program.stdout()}${program.stderr()}`)
}
