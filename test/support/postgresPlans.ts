import { startPostgres } from "./PostgresServer.ts"
import type { TestApp } from "./TestApp.ts"

/** A server that logs the plan of every statement, including prepared ones. */
export const startExplaining = () =>
  startPostgres({
    fsync: false,
    settings: {
      shared_preload_libraries: "auto_explain",
      "auto_explain.log_min_duration": "0",
      "auto_explain.log_analyze": "on",
      "auto_explain.log_timing": "off",
      "auto_explain.log_format": "text"
    }
  })

/** The plans of the statements that run during an action and contain a word. */
export const plansDuring = async (
  app: TestApp,
  log: () => string,
  word: string,
  run: () => Promise<unknown>
): Promise<ReadonlyArray<string>> => {
  /** All that was logged so far arrives before a statement that is run now. */
  const untilLogged = async (name: string) => {
    const marker = `${name}_${log().length}`
    await app.sql((sql) => sql.unsafe(`SELECT 1 AS ${marker}`))
    while (!log().includes(marker)) await new Promise(setImmediate)
  }
  await untilLogged("begin")
  const before = log().length
  await run()
  await untilLogged("end")
  return log()
    .slice(before)
    .split("duration:")
    .filter((plan) => plan.includes(word))
}
