import { keys } from "../api/makeApi.ts"
import { SessionClient } from "../api/session.ts"

/** The queries that the end of a session changes. */
export const sessionsChanged = ["sessions"]

export const sessionsQuery = (page = 1) =>
  SessionClient.query("sessions", "list", { query: { page, perPage: 25 }, reactivityKeys: keys("sessions") })

/** The newest keys that sessions of the browser of a session made. */
export const madeKeysQuery = (id: string, page: number) =>
  SessionClient.query("sessions", "madeKeys", {
    params: { id },
    query: { page, perPage: 100 },
    reactivityKeys: keys("sessions")
  })
