import type { DestinationType } from "@edp/domain/destinations/Destination"
import { Context, Effect, Layer, Schema } from "effect"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { Target } from "../senders/DestinationSender.ts"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { queryRows } from "../../platform/sql/rows.ts"

const UntilRow = Schema.Struct({ until: Schema.NullOr(Schema.Date) })

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hour = sql.literal(`date_trunc('hour', now(), 'UTC')`)
  return {
    /**
     * Counts a message to a recipient in the current hour of the database's clock. Returns null, or when the next hour begins
     * if the cap is reached.
     */
    take: (workspaceId: string, recipient: string, limit: number) =>
      queryRows(UntilRow)(sql`WITH granted AS (
          INSERT INTO recipient_hours AS known (workspace_id, recipient, hour, sent)
          VALUES (${workspaceId}, ${recipient}, ${hour}, 1)
          ON CONFLICT (workspace_id, recipient) DO UPDATE SET hour = greatest(known.hour, excluded.hour),
            sent = CASE WHEN known.hour < excluded.hour THEN 1 ELSE known.sent + 1 END
          WHERE known.hour < excluded.hour OR known.sent < ${limit}
          RETURNING 1
        )
        SELECT CASE WHEN EXISTS (SELECT FROM granted) THEN NULL ELSE ${hour} + interval '1 hour' END AS until`).pipe(
        Effect.map(([row]) => row!.until)
      ),
    /** Deletes a batch of past hours. Returns whether there may be more. */
    clearOld: (limit: number) =>
      query(sql`DELETE FROM recipient_hours WHERE (workspace_id, recipient) IN (
          SELECT workspace_id, recipient FROM recipient_hours WHERE hour < ${hour} - interval '1 hour' ORDER BY hour
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        RETURNING 1`).pipe(Effect.map((gone) => gone.length === limit))
  }
})

/** Addresses that differ only in case or in the IDNA form of the domain are the same mailbox. */
const normalizeMailbox = (email: string) => {
  const at = email.lastIndexOf("@")
  const domain = email.slice(at + 1)
  const usual = URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : domain.toLowerCase()
  return `${email.slice(0, at).normalize("NFC").toLowerCase()}@${usual}`
}

/** The recipient of a mail or text message in one spelling; undefined for other types. */
export const recipientKey = ({
  destinationType,
  email,
  phoneNumber
}: Pick<Target, "destinationType" | "email" | "phoneNumber">): string | undefined => {
  if (destinationType === "EMAIL" && email !== null) return `EMAIL ${normalizeMailbox(email)}`
  // E.164 has one spelling per number.
  if (destinationType === "SMS" && phoneNumber !== null) return `SMS ${phoneNumber}`
  return undefined
}

/** Rows that one statement deletes. */
const BATCH = 2000

/** Caps the mails and text messages that a recipient gets from a workspace in an hour, across all processes. */
export class HourlyCaps extends Context.Service<
  HourlyCaps,
  {
    /** The hourly cap of a type; undefined without a cap. */
    readonly limitFor: (type: DestinationType) => number | undefined
    /** Counts a message that is about to be sent. Returns null, or when the next one may be sent if the cap is reached. */
    readonly take: (target: Target) => Effect.Effect<Date | null, DatabaseUnavailable>
    /** Deletes the counts of past hours. */
    readonly clear: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/destinations/HourlyCaps") {
  static readonly layer = Layer.effect(
    HourlyCaps,
    Effect.gen(function* () {
      const repository = yield* statements
      const { emailHourly, smsHourly } = yield* ServerConfig
      const limits: Partial<Record<DestinationType, number>> = { EMAIL: emailHourly, SMS: smsHourly }
      const limitFor = (type: DestinationType) => limits[type]

      return {
        limitFor,
        take: (target) => {
          const limit = limitFor(target.destinationType)
          const recipient = recipientKey(target)
          return limit === undefined || recipient === undefined
            ? Effect.succeed(null)
            : repository.take(target.workspaceId, recipient, limit)
        },
        clear: Effect.asVoid(Effect.repeat(repository.clearOld(BATCH), { while: (more) => more }))
      }
    })
  )
}
