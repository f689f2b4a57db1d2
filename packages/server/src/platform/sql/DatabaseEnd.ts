import { Context } from "effect"

/** Tells whether the database has ended for good in this process, so that only another start of it helps. */
export const databaseHasEnded = Context.Reference<() => boolean>("@edp/server/databaseHasEnded", {
  defaultValue: () => () => false
})
