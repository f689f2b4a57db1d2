import { Schema } from "effect"
import { type ErrorCode, errorCodes } from "../errors/ErrorCode.ts"
import { documents } from "../shared/documents.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

type ForbiddenCode = {
  [Code in ErrorCode]: (typeof errorCodes)[Code]["status"] extends 403 ? Code : never
}[ErrorCode]

/** The errors that tell a key of the right type that it lacks permission. */
export const forbiddenCodes = (Object.keys(errorCodes) as ReadonlyArray<ErrorCode>).filter(
  (code): code is ForbiddenCode => errorCodes[code].status === 403
)

export const refusalReasons = ["WRONG_KEY_TYPE", "KEY_REVOKED", "KEY_EXPIRED", ...forbiddenCodes] as const

/** Why a key that the service knows was refused. */
export const RefusalReason = Schema.Literals(refusalReasons).annotate({
  identifier: "RefusalReason",
  description:
    "WRONG_KEY_TYPE, KEY_REVOKED and KEY_EXPIRED were answered 401 UNAUTHENTICATED; the others are the code of the 403"
})
export type RefusalReason = typeof RefusalReason.Type

export const Refusal = Schema.Struct({
  method: StoredText(7).annotate({ description: "Method of the endpoint", examples: ["GET"] }),
  route: StoredText(247).annotate({
    description: "Route of the endpoint, with its parameters by their names",
    examples: ["/v1/sites/:id"]
  }),
  reason: RefusalReason,
  count: Schema.Int.check(documents({ minimum: 1, maximum: 2_147_483_647 })).annotate({
    description:
      "Number of refused uses within the minute that begins at `createdAt`; it grows until the minute is over"
  }),
  lastAt: Timestamp.annotate({ description: "The last of them" })
}).annotate({ identifier: "Refusal", description: "Why and how often a key was refused at an endpoint" })
export type Refusal = typeof Refusal.Type
