import type { DestinationType } from "@edp/domain/destinations/Destination"
import { Context, Effect, Layer } from "effect"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { RecipientHoursRepository } from "./RecipientHoursRepository.ts"
import { recipientOf } from "./recipientOf.ts"
import type { Target } from "./senders/DestinationSender.ts"

/** Rows that one statement clears away. */
const PART = 2000

/** Mails and text messages that a recipient may get from a workspace in an hour. All instances count together. */
export class HourlyCaps extends Context.Service<
  HourlyCaps,
  {
    /** How many of a type; undefined where they are not limited. */
    readonly limitOf: (type: DestinationType) => number | undefined
    /** Counts a message that is about to be sent. Where this hour's are used up, answers when the next one may be; else null. */
    readonly take: (target: Target) => Effect.Effect<Date | null>
    /** Forgets the hours that are over. */
    readonly clear: Effect.Effect<void>
  }
>()("@edp/server/destinations/HourlyCaps") {
  static readonly layer = Layer.effect(
    HourlyCaps,
    Effect.gen(function* () {
      const repository = yield* RecipientHoursRepository
      const { emailHourly, smsHourly } = yield* ServerConfig
      const limits: Partial<Record<DestinationType, number>> = { EMAIL: emailHourly, SMS: smsHourly }
      const limitOf = (type: DestinationType) => limits[type]

      return {
        limitOf,
        take: (target) => {
          const limit = limitOf(target.destinationType)
          const recipient = recipientOf(target)
          return limit === undefined || recipient === undefined
            ? Effect.succeed(null)
            : repository.take(target.workspaceId, recipient, limit)
        },
        clear: Effect.asVoid(Effect.repeat(repository.clearOld(PART), { while: (more) => more }))
      }
    })
  )
}
