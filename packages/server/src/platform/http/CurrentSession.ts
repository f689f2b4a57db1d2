import type { RateLimits } from "@edp/domain/auth/ApiKeyType"
import { Context } from "effect"

/** The session of the dashboard that makes the request; undefined for a request with a key. */
export const CurrentSession = Context.Reference<
  | {
      readonly id: string
      /** The browser: its sessions, one after the other, share what they made. */
      readonly makerId: string
      /** Counted per session: several browsers share a key. */
      readonly rateLimits: RateLimits
      readonly csrfToken: string
    }
  | undefined
>("@edp/server/CurrentSession", { defaultValue: () => undefined })
