import { fileURLToPath } from "node:url"
import { runProgram } from "./launch.ts"

const program = fileURLToPath(new URL("../../packages/dashboard/src/build/build.ts", import.meta.url))

/** Builds the dashboard if its sources have changed, as `pnpm start` does: the service only serves what was built. */
export const buildDashboard = async (): Promise<void> => {
  await runProgram(process.execPath, [program])
}
