import { publicName } from "@edp/domain/workspaces/Workspace"
import { randomBytes } from "node:crypto"
import type { Language } from "@edp/domain/shared/Language"
import { Context, Effect, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import { Customers } from "../../customers/Customers.ts"
import { IdentifiedCustomers } from "../../customers/IdentifiedCustomers.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { type RetrySchedule, retryPause } from "../../platform/jobs/retryPause.ts"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { MailRelay } from "../../platform/mail/MailRelay.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import {
  type DueMail,
  EmailConfirmationsRepository,
  type EmailState,
  type LinkedEnrollment
} from "./EmailConfirmationsRepository.ts"
import { mailTemplates } from "@edp/hosted-pages/render"
import type { Confirmation } from "@edp/hosted-pages/enroll/pageTypes"
import { mailLimits } from "./mailLimits.ts"
import { EnrollmentsRepository } from "../EnrollmentsRepository.ts"
import { tokenHash } from "../pages/formToken.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const retries: RetrySchedule = {
  pauses: [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE],
  jitter: 0.1,
  longestAsked: 0
}

/**
 * Proof that an applicant has the e-mail address that they typed: a link, in a mail, that works once. The page says the same for every
 * address. That an address takes part already is said in the mail alone, which only its owner reads.
 */
export class EmailConfirmations extends Context.Service<
  EmailConfirmations,
  {
    /** Asks for the first mail of an enrollment. Joins the caller's transaction. Nothing where no mails can be sent. */
    readonly begin: (enrollment: {
      readonly id: string
      readonly workspaceId: string
      readonly email: string
      readonly language: Language
    }) => Effect.Effect<void, DatabaseUnavailable>
    readonly sendAgain: (enrollmentId: string) => Effect.Effect<void, DatabaseUnavailable>
    /** Undefined for an enrollment without mails. */
    readonly state: (enrollmentId: string) => Effect.Effect<EmailState | undefined, DatabaseUnavailable>
    /** Whether the link still works. */
    readonly look: (
      programInstanceId: string,
      token: string
    ) => Effect.Effect<"open" | "expired" | "unknown", DatabaseUnavailable>
    /** Uses the link: the address counts from then on. */
    readonly confirm: (programInstanceId: string, token: string) => Effect.Effect<Confirmation, DatabaseUnavailable>
    /** Sends the mails that are due. Returns how many the relay took. */
    readonly sendDue: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until a mail is due; Infinity where no mails can be sent. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
    /** Ends waits that are longer than any, which a clock that was set back leaves. */
    readonly limitWaits: Effect.Effect<unknown, DatabaseUnavailable>
  }
>()("@edp/server/EmailConfirmations") {
  static readonly layer = Layer.effect(
    EmailConfirmations,
    Effect.gen(function* () {
      const repository = yield* EmailConfirmationsRepository
      const enrollments = yield* EnrollmentsRepository
      const identified = yield* IdentifiedCustomers
      const customers = yield* Customers
      const { publicUrl } = yield* ServerConfig
      const { send } = yield* MailRelay
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const base = publicUrl.replace(/\/+$/u, "")

      /** Whether the address is that of another customer who takes part. */
      const takesPart = Effect.fnUntraced(function* (applicant: DueMail | LinkedEnrollment) {
        const { customerId, email, programInstanceId, workspaceId } = applicant
        const others = (yield* identified.havingEmail(workspaceId, email)).filter((id) => id !== customerId)
        return (yield* enrollments.enrolled(programInstanceId, others)).size > 0
      })

      const makeMail = Effect.fnUntraced(function* (due: DueMail) {
        const { email, enrollmentId, language, mails, pageSlug, title } = due
        const words = { language, title, asker: publicName(due.workspaceName) }
        const common = { to: email, id: `${enrollmentId}.${mails}` }
        if (yield* takesPart(due)) return { ...common, ...mailTemplates.takesPart(words) }
        const token = randomBytes(32).toString("base64url")
        yield* repository.setLink(enrollmentId, tokenHash(token), mailLimits.linkDays)
        const link = `${base}/enroll/${pageSlug}/email/${token}`
        return { ...common, ...mailTemplates.confirmation({ ...words, link, days: mailLimits.linkDays }) }
      })

      const deliver = Effect.fn("EmailConfirmations.deliver")(
        function* (due: DueMail) {
          const { error, permanent, succeeded } = yield* send!(yield* makeMail(due))
          if (!succeeded) yield* logFailure("enrollment mail", `A mail of an enrollment was not sent: ${error}`)
          const pause = retryPause(retries, due.attempts, yield* Random.next)
          yield* repository.settle(due, succeeded || permanent ? undefined : pause)
          return succeeded ? 1 : 0
        },
        // A mail that can't be made ends after the same number of attempts.
        (effect, due) =>
          Effect.catchCause(effect, (cause) =>
            Effect.gen(function* () {
              yield* logFailure("enrollment mail", "A mail of an enrollment failed", cause)
              yield* repository.settle(due, retryPause(retries, due.attempts, yield* Random.next))
              return 0
            })
          )
      )

      const linked = Effect.fnUntraced(function* (
        find: (hash: Uint8Array) => Effect.Effect<LinkedEnrollment | undefined, DatabaseUnavailable>,
        programInstanceId: string,
        token: string
      ) {
        const found = yield* find(tokenHash(token))
        return found?.programInstanceId === programInstanceId ? found : undefined
      })

      return {
        begin: (enrollment) =>
          send === undefined ? Effect.void : repository.insert(enrollment, mailLimits.mailsPerHour),
        sendAgain: Effect.fn("EmailConfirmations.sendAgain")((id) => repository.ask(id, mailLimits.mailsPerEnrollment)),
        state: Effect.fn("EmailConfirmations.state")(repository.state),
        look: Effect.fn("EmailConfirmations.look")(function* (programInstanceId, token) {
          const found = yield* linked(repository.byLink, programInstanceId, token)
          return found === undefined ? "unknown" : found.isExpired ? "expired" : "open"
        }),
        confirm: Effect.fn("EmailConfirmations.confirm")((programInstanceId, token) =>
          Effect.gen(function* () {
            const found = yield* linked(repository.lockLink, programInstanceId, token)
            if (found === undefined) return "unknown"
            if (found.isExpired) return "expired"
            const { customerId, enrollmentId, workspaceId } = found
            // Two links for one address may be used at once: one of them finds that the other was used.
            yield* identified.holdEmails(workspaceId)
            const isTaken = yield* takesPart(found)
            yield* repository.end(enrollmentId, !isTaken)
            if (isTaken) return "already"
            yield* customers.proveEmail(workspaceId, customerId)
            return "confirmed"
          }).pipe(transaction)
        ),
        nextDue: send === undefined ? Effect.succeed(Infinity) : repository.nextDue,
        sendDue:
          send === undefined
            ? Effect.succeed(0)
            : Effect.gen(function* () {
                const due = yield* repository.claim(mailLimits.claimedTogether)
                const sent = yield* Effect.forEach(due, deliver, { concurrency: mailLimits.sentTogether })
                return sent.reduce((sum, one) => sum + one, 0)
              }).pipe(Effect.withSpan("EmailConfirmations.sendDue")),
        limitWaits: repository.limitWaits(Math.max(...retries.pauses) * (1 + retries.jitter))
      }
    })
  )
}
