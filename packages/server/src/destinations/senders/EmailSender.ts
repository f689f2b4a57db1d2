import type { Event } from "@edp/domain/events/Event"
import { mailTemplates } from "@edp/hosted-pages/render"
import { Context, Effect, Layer } from "effect"
import { type Mail, MailRelay, type MailText } from "../../platform/mail/MailRelay.ts"
import { type DestinationSender, type Target, shownBody, unanswered } from "./DestinationSender.ts"
import { eventText } from "./eventText.ts"

/**
 * The mail for an event.
 *
 * @param label The destination's name, which the mail gives as its reason.
 */
const eventMail = (event: Event, label: string | null): MailText => {
  const { headline, facts } = eventText(event)
  const reason = `Sent because ${label === null ? "a destination" : `the destination "${label.replace(/\s+/gu, " ")}"`} subscribes to ${event.type}.`
  return {
    subject: headline,
    text: `${headline}\n\n${facts.map(([name, value]) => `${name}: ${value}`).join("\n")}\n\n${reason}\n`,
    html: mailTemplates.event({ headline, facts, reason })
  }
}

const toMail = (target: Target, event: Event): Mail => ({
  ...eventMail(event, target.label),
  to: target.email!,
  id: `${event.id}.${target.id}`,
  headers: { "X-EDP-Event-Id": event.id, "X-EDP-Event-Type": event.type }
})

/** Sends events as mails by the operator's relay (`SMTP_URL`), one event per mail. */
export class EmailSender extends Context.Service<EmailSender, DestinationSender>()(
  "@edp/server/destinations/EmailSender"
) {
  static readonly layer = Layer.effect(
    EmailSender,
    Effect.gen(function* () {
      const { send } = yield* MailRelay
      if (send === undefined) {
        const unavailable = "This server sends no mails: its operator has not set SMTP_URL"
        return { send: () => Effect.succeed(unanswered(unavailable)), unavailable }
      }
      return {
        send: Effect.fn("EmailSender.send")(function* (target, event) {
          const { response, ...result } = yield* send(toMail(target, event))
          const shown = response === null ? null : shownBody(Buffer.from(response))
          return { ...result, response: shown, gone: false, retryAfter: undefined }
        })
      }
    })
  )
}
