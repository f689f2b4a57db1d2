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
  const before = log().length
  await run()
  const marker = `end_${before}`
  await app.sql((sql) => sql.unsafe(`SELECT 1 AS ${marker}`))
  while (!log().slice(before).includes(marker)) await new Promise(setImmediate)
  return log()
    .slice(before)
    .split("duration:")
    .filter((plan) => plan.includes(word))
}
