import { keys } from "../../api/makeApi.ts"
import { SessionClient } from "../../api/session.ts"

export const SESSIONS = "sessions"

export const sessionsQuery = (query: { readonly page: number; readonly perPage: number }) =>
  SessionClient.query("sessions", "list", { query, reactivityKeys: keys(SESSIONS) })

/** The newest keys that sessions of the browser of a session made. */
export const madeKeysQuery = (id: string, page: number) =>
  SessionClient.query("sessions", "madeKeys", {
    params: { id },
    query: { page, perPage: 100 },
    reactivityKeys: keys(SESSIONS)
  })
