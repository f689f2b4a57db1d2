import { keys } from "../../api/makeApi.ts"
import { SessionClient } from "../../api/session.ts"

export const SESSIONS = "sessions"

export const sessionsQuery = (query: { readonly page: number; readonly perPage: number }) =>
  SessionClient.query("sessions", "list", { query, reactivityKeys: keys(SESSIONS) })
