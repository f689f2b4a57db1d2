import type { DestinationType } from "@edp/domain/destinations/Destination"
import { Context, Effect, Layer } from "effect"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { RecipientHoursRepository } from "./RecipientHoursRepository.ts"
import type { Target } from "../senders/DestinationSender.ts"

/**
 * Mailboxes are told apart neither by the case of their names, as practically everywhere, nor by the spelling of their
 * domains: capitals, or the letters of IDNA.
 */
const mailboxOf = (email: string) => {
  const at = email.lastIndexOf("@")
  const domain = email.slice(at + 1)
  const usual = URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : domain.toLowerCase()
  return `${email.slice(0, at).normalize("NFC").toLowerCase()}@${usual}`
}

/** Who gets a mail or a text message, in one spelling; undefined for destinations that send neither. */
export const recipientOf = ({
  destinationType,
  email,
  phoneNumber
}: Pick<Target, "destinationType" | "email" | "phoneNumber">): string | undefined => {
  if (destinationType === "EMAIL" && email !== null) return `EMAIL ${mailboxOf(email)}`
  // E.164 has one spelling of each number.
  if (destinationType === "SMS" && phoneNumber !== null) return `SMS ${phoneNumber}`
  return undefined
}

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
